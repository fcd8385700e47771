#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/gh.sh
. "$BAND_LIB/gh.sh"
from_input '"--repo=\(.repository)", "--yes", (if .deleteTag then "--cleanup-tag" else empty end), "--", .tag'
run release delete "${words[@]}"
result '{tag: given.tag}'
