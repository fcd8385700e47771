#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/gh.sh
. "$BAND_LIB/gh.sh"
# Not `gh label delete`: in 2.23 it puts the name into the URL as it is.
from_input '"repos/\(.repository)/labels/\(.name | @uri)"'
api --method=DELETE "${words[@]}"
result '{name: given.name}'
