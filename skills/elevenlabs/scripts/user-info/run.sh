#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/api.sh
. "$BAND_LIB/api.sh"
call GET /v1/user
jq '.subscription as $has | {
  id: .user_id, tier: $has.tier, status: ($has.status // null),
  charactersUsed: $has.character_count, charactersLimit: $has.character_limit,
  charactersLeft: ([0, $has.character_limit - $has.character_count] | max),
  resetsAt: ($has.next_character_count_reset_unix | if . == null then null else todate end),
  voices: ($has.voice_slots_used // null), voicesLimit: ($has.voice_limit // null),
  canCloneVoices: ($has.can_use_instant_voice_cloning // false)
}' "$answer" > "$OUTPUT_PATH"
