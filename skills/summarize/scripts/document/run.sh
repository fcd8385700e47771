#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/claude.sh
. "$BAND_LIB/claude.sh"
read_input
summarize "${files[0]}"
if ((summarized == 0)); then no_money; fi
jq -s --rawfile summary /tmp/summary --arg path "${files[0]}" --arg model "$model" --argjson parts "$parts" \
  --argjson summarized "$summarized" --argjson calls "$calls" \
  --argjson costDollars "$spent" --argjson truncated "$truncated" \
  '{$path, summary: ($summary | rtrimstr("\n")), $parts, $summarized, $truncated, notes: ., $model, $calls, $costDollars}' \
  /tmp/notes > "$OUTPUT_PATH"
