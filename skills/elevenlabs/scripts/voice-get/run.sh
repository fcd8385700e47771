#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/api.sh
. "$BAND_LIB/api.sh"
call GET "$(jq -r '"/v1/voices/\(.voice | @uri)"' "$INPUT_PATH")"
jq -L "$BAND_LIB" 'include "voice"; voice + {
  languages: [.verified_languages[]? | .language] | unique,
  models: (.high_quality_base_model_ids // []),
  requiresVerification: (.voice_verification.requires_verification // false),
  settings: (.settings | if . == null then null else
    {stability, similarity: .similarity_boost, style, speed, speakerBoost: .use_speaker_boost} end),
  samples: [.samples[]? | {id: .sample_id, file: (.file_name // ""), bytes: (.size_bytes // null), seconds: (.duration_secs // null)}]
}' "$answer" > "$OUTPUT_PATH"
