#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/gh.sh
. "$BAND_LIB/gh.sh"
# Not `gh label delete`: version 2.23 does not encode the name in the URL.
from_input '"repos/\(.repository)/labels/\(.name | @uri)"'
api --method=DELETE "${words[@]}"
result '{name: given.name}'
