#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/gh.sh
. "$BAND_LIB/gh.sh"
from_input '"--repo=\(.repository)", "--", .number, .lines'
run pr diff "${words[@]:0:3}"
lines=$(wc -l < out)
head -n "${words[3]}" out | jq -Rsc --argjson lines "$lines" --argjson limit "${words[3]}" \
  '{diff: ., lines: $lines, more: ($lines > $limit)}' > "$OUTPUT_PATH"
