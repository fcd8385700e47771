#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/gh.sh
. "$BAND_LIB/gh.sh"
from_input '"--repo=\(.repository)", (.title // empty | "--title=\(.)"), (if has("body") then "--body-file=-" else empty end),
  (.addLabels[]? | "--add-label=\(one)"), (.removeLabels[]? | "--remove-label=\(one)"),
  (.addAssignees[]? | "--add-assignee=\(.)"), (.removeAssignees[]? | "--remove-assignee=\(.)"),
  (.milestone // empty | "--milestone=\(.)"), "--", .number'
if ((${#words[@]} < 4)); then fail "nothing to change" "give a title, a body, a milestone, labels or assignees"; fi
body body | run issue edit "${words[@]}"
made
