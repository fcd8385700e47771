#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/gh.sh
. "$BAND_LIB/gh.sh"
from_input '"--repo=\(.repository)", (if .deleteBranch then "--delete-branch" else empty end), "--", .number'
run pr close "${words[@]}"
changed closed
