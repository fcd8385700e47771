#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/api.sh
. "$BAND_LIB/api.sh"
new_audio_file
# Settings that the input omits are also omitted in the request, so that the voice's own settings apply.
jq '{text, model_id: .model, language_code: .language, seed,
     voice_settings: ({stability, similarity_boost: .similarity, style, speed, use_speaker_boost: .speakerBoost}
       | with_entries(select(.value != null)) | if . == {} then null else . end)}
    | with_entries(select(.value != null))' "$INPUT_PATH" > /tmp/request
path=$(jq -r --arg format "$format" '"/v1/text-to-speech/\(.voice | @uri)?output_format=\($format | @uri)"' "$INPUT_PATH")
call POST "$path" 'header = "Content-Type: application/json"' 'data-binary = "@/tmp/request"'
keep_audio
