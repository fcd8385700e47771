#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/gh.sh
. "$BAND_LIB/gh.sh"
from_input '"--json=number,title,state,body,author,labels,assignees,milestone,createdAt,updatedAt,closedAt,url"
    + (if .comments > 0 then ",comments" else "" end),
  "--repo=\(.repository)", "--", .number'
run issue view "${words[@]}"
result '{number, title, state: (.state | ascii_downcase), body, author: .author.login, labels: [.labels[].name],
    assignees: [.assignees[].login], milestone: (.milestone.title? // null), createdAt, updatedAt, closedAt, url}
  + if given.comments == 0 then {} else {
      comments: [.comments[-given.comments:][] | {author: .author.login, createdAt, body, url}],
      more: (.comments | length > given.comments)} end'
