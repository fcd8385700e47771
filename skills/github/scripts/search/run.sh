#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/gh.sh
. "$BAND_LIB/gh.sh"
from_input '"--raw-field=q=\(.query)\({issues: " type:issue", prs: " type:pr"}[.type] // "")",
    "--raw-field=per_page=\(.limit)", "--raw-field=page=\(.page)",
  "search/\({issues: "issues", prs: "issues", repos: "repositories", code: "code"}[.type])"'
api --method=GET "${words[@]}"
result '
  def repo: .repository_url | split("/")[-2:] | join("/");
  def issue: {repository: repo, number, title, state, author: .user.login, labels: [.labels[].name], createdAt: .created_at,
    updatedAt: .updated_at, url: .html_url};
  {total: .total_count, incomplete: .incomplete_results,
   results: [.items[] | if given.type == "issues" then issue
     elif given.type == "prs" then issue + {draft: (.draft // false), merged: (.pull_request.merged_at? != null)}
     elif given.type == "repos" then {repository: .full_name, description: (.description // ""), stars: .stargazers_count, language,
       private, archived, updatedAt: .updated_at, url: .html_url}
     else {repository: .repository.full_name, path, url: .html_url} end],
   more: (.total_count > (given.page - 1) * given.limit + (.items | length))}'
