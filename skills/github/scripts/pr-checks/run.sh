#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/gh.sh
. "$BAND_LIB/gh.sh"
from_input '"--repo=\(.repository)", "--", .number'
run pr view --json=statusCheckRollup "${words[@]}"
# The outcome of each state is that of `gh pr checks`.
result '
  def outcome: if . == "SUCCESS" then "pass" elif IN("SKIPPED", "NEUTRAL") then "skipped"
    elif IN("ERROR", "FAILURE", "CANCELLED", "TIMED_OUT", "ACTION_REQUIRED", "STARTUP_FAILURE") then "fail" else "pending" end;
  def filled: if . == "" then null else . end;
  def count(wanted): map(select(.outcome == wanted)) | length;
  [.statusCheckRollup[] | {
    name: (.name // .context), workflow: (.workflowName | filled), url: (.detailsUrl // .targetUrl | filled),
    outcome: ((if .__typename != "CheckRun" then .state elif .status == "COMPLETED" then .conclusion else "" end) | outcome)}]
  | {checks: ., pass: count("pass"), fail: count("fail"), pending: count("pending"), skipped: count("skipped")}'
