#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/api.sh
. "$BAND_LIB/api.sh"
new_audio_file
jq '{text, duration_seconds: .seconds, prompt_influence: .influence, loop, model_id: "eleven_text_to_sound_v2"}
    | with_entries(select(.value != null))' "$INPUT_PATH" > /tmp/request
call POST "/v1/sound-generation?output_format=$format" 'header = "Content-Type: application/json"' 'data-binary = "@/tmp/request"'
keep_audio
