#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/gh.sh
. "$BAND_LIB/gh.sh"
from_input '"--repo=\(.repository)", .id, "repos/\(.repository)/actions/runs/\(.id)/jobs"'
fields=databaseId,displayTitle,workflowName,status,conclusion,event,headBranch,headSha,createdAt,url
run run view --json="$fields" "${words[0]}" -- "${words[1]}"
mv out run
# Not `--json=jobs`: gh 2.23 takes the first 30 jobs for all.
api --method=GET --raw-field=per_page=100 "${words[2]}"
jq -c --slurpfile run run '.total_count as $total | [.jobs[] | {id, name, status, conclusion: (.conclusion // ""), url: .html_url,
    steps: [.steps[]? | {number, name, status, conclusion: (.conclusion // "")}]}] as $jobs
  | $run[0] | {id: .databaseId, title: .displayTitle, workflow: .workflowName, status, conclusion, event, branch: .headBranch,
    commit: .headSha, createdAt, url, $jobs, more: ($total > ($jobs | length))}' out > "$OUTPUT_PATH"
