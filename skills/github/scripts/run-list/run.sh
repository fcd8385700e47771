#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/gh.sh
. "$BAND_LIB/gh.sh"
from_input '"--repo=\(.repository)", "--limit=\(.limit + 1)", (.workflow // empty | "--workflow=\(.)"), (.branch // empty | "--branch=\(.)"),
  (.actor // empty | "--user=\(.)")'
fields=databaseId,displayTitle,workflowName,status,conclusion,event,headBranch,headSha,createdAt,url
run run list --json="$fields" "${words[@]}"
list runs '{id: .databaseId, title: .displayTitle, workflow: .workflowName, status, conclusion, event, branch: .headBranch,
  commit: .headSha, createdAt, url}'
