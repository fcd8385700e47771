#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/gh.sh
. "$BAND_LIB/gh.sh"
from_input '"--repo=\(.repository)", "--state=\(.state)", "--limit=\(.limit + 1)", (.labels[]? | "--label=\(one)"),
  (.assignee // empty | "--assignee=\(.)"), (.author // empty | "--author=\(.)"), (.base // empty | "--base=\(.)"),
  (.head // empty | "--head=\(.)"), (if has("draft") then "--draft=\(.draft)" else empty end), (.search // empty | "--search=\(.)")'
fields=number,title,state,isDraft,author,headRefName,baseRefName,labels,reviewDecision,createdAt,updatedAt,url
run pr list --json="$fields" "${words[@]}"
list pullRequests '{number, title, state: (.state | ascii_downcase), draft: .isDraft, author: .author.login, head: .headRefName,
  base: .baseRefName, labels: [.labels[].name], reviewDecision: (.reviewDecision | ascii_downcase), createdAt, updatedAt, url}'
