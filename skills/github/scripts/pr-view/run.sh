#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/gh.sh
. "$BAND_LIB/gh.sh"
from_input '"--json=number,title,state,isDraft,body,author,headRefName,headRefOid,baseRefName,mergeable,mergeStateStatus,reviewDecision,"
    + "reviewRequests,additions,deletions,changedFiles,files,labels,assignees,milestone,createdAt,updatedAt,mergedAt,closedAt,url"
    + (if .comments > 0 then ",comments,reviews" else "" end),
  "--repo=\(.repository)", "--", .number'
run pr view "${words[@]}"
result '{number, title, state: (.state | ascii_downcase), draft: .isDraft, body, author: .author.login, head: .headRefName,
    headCommit: .headRefOid, base: .baseRefName, mergeable: (.mergeable | ascii_downcase),
    mergeState: (.mergeStateStatus | ascii_downcase), reviewDecision: (.reviewDecision | ascii_downcase),
    reviewers: [.reviewRequests[] | .login // .slug // .name], additions, deletions, changedFiles,
    files: [.files[] | {path, additions, deletions}], moreFiles: (.changedFiles > (.files | length)),
    labels: [.labels[].name], assignees: [.assignees[].login], milestone: (.milestone.title? // null),
    createdAt, updatedAt, mergedAt, closedAt, url}
  + if given.comments == 0 then {} else {
      comments: [.comments[-given.comments:][] | {author: .author.login, createdAt, body, url}],
      reviews: [.reviews[-given.comments:][] | {author: .author.login, submittedAt, state: (.state | ascii_downcase), body}],
      more: ([.comments, .reviews] | any(.[]; length > given.comments))} end'
