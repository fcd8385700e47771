#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/gh.sh
. "$BAND_LIB/gh.sh"
from_input '"--repo=\(.repository)", "--limit=\(.limit + 1)", (.search // empty | "--search=\(.)")'
run label list --json=name,color,description "${words[@]}"
list labels '{name, color, description}'
