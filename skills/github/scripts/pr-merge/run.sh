#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/gh.sh
. "$BAND_LIB/gh.sh"
from_input '"--repo=\(.repository)", "--\(.method)", (.headCommit // empty | "--match-head-commit=\(.)"),
  (if .deleteBranch then "--delete-branch" else empty end), (.subject // empty | "--subject=\(.)"),
  (if has("body") then "--body-file=-" else empty end), "--", .number'
body body | run pr merge "${words[@]}"
# gh prints no usable result, and in a repository with a merge queue it only adds the pull request to the queue.
so_far="\`gh pr merge\` itself succeeded"
changed=$(was_changed)
run pr view --json=state,mergeCommit --repo="${words[0]#--repo=}" -- "${words[-1]}"
result "{number: given.number, state: (.state | ascii_downcase), changed: $changed, commit: (.mergeCommit.oid? // null)}"
