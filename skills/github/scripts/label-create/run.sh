#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/gh.sh
. "$BAND_LIB/gh.sh"
from_input '"--repo=\(.repository)", "--color=\(.color)", "--description=\(.description)", "--", .name'
run label create "${words[@]}"
result 'given | {name, color, description}'
