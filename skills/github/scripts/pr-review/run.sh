#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/gh.sh
. "$BAND_LIB/gh.sh"
from_input '"--repo=\(.repository)", "--body-file=-", "--\(.event)", "--", .number'
body body | run pr review "${words[@]}"
result '{number: given.number, event: given.event}'
