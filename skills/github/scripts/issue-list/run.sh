#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/gh.sh
. "$BAND_LIB/gh.sh"
from_input '"--repo=\(.repository)", "--state=\(.state)", "--limit=\(.limit + 1)", (.labels[]? | "--label=\(one)"),
  (.assignee // empty | "--assignee=\(.)"), (.author // empty | "--author=\(.)"), (.milestone // empty | "--milestone=\(.)"),
  (.search // empty | "--search=\(.)")'
run issue list --json=number,title,state,author,labels,assignees,createdAt,updatedAt,url "${words[@]}"
list issues '{number, title, state: (.state | ascii_downcase), author: .author.login, labels: [.labels[].name],
  assignees: [.assignees[].login], createdAt, updatedAt, url}'
