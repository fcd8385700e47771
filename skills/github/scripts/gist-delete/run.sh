#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/gh.sh
. "$BAND_LIB/gh.sh"
from_input '"gists/\(.id | @uri)"'
api --method=DELETE "${words[@]}"
result '{id: given.id}'
