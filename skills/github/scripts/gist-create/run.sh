#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/gh.sh
. "$BAND_LIB/gh.sh"
from_input '"--filename=\(.filename)", "--desc=\(.description)", "--public=\(.public)", "-"'
body content | run gist create "${words[@]}"
jq -Rc '{id: (split("/")[-1]), url: .}' out > "$OUTPUT_PATH"
