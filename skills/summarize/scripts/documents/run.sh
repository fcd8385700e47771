#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/claude.sh
. "$BAND_LIB/claude.sh"
read_input
: > /tmp/documents
for file in "${files[@]}"; do
  summarize "$file"
  jq -nc --rawfile summary /tmp/summary --arg path "$file" --argjson parts "$parts" --argjson summarized "$summarized" \
    '{$path, summary: (if $summarized == 0 then null else $summary | rtrimstr("\n") end), $parts, $summarized}' >> /tmp/documents
done
if ! grep -q '"summary":"' /tmp/documents; then no_money; fi
jq -r 'select(.summary) | "Document \(.path | tojson):\n\(.summary[0:20000])\n"' /tmp/documents > /tmp/joined
: > /tmp/summary
if ask "Summarize the documents below together $form. The text has a summary of each, after its name." /tmp/joined; then
  jq -j .result /tmp/answer > /tmp/summary
else
  note "there is no summary of all documents together: another call could exceed the limit of $(dollars "$most")"
fi
jq -s --rawfile summary /tmp/summary --slurpfile notes /tmp/notes --arg model "$model" --argjson calls "$calls" \
  --argjson costDollars "$spent" --argjson truncated "$truncated" \
  '{documents: ., summary: (if $summary == "" then null else $summary end), $truncated, $notes, $model, $calls, $costDollars}' \
  /tmp/documents > "$OUTPUT_PATH"
