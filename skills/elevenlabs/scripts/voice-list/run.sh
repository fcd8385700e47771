#!/bin/bash
# The service returns all voices in one answer; this script filters them by the input.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/api.sh
. "$BAND_LIB/api.sh"
call GET /v1/voices
jq -L "$BAND_LIB" --slurpfile input "$INPUT_PATH" 'include "voice"; $input[0] as $wanted
  | [.voices[] | voice
     | select($wanted.category == null or .category == $wanted.category)
     | select($wanted.name == null or (.name | ascii_downcase | contains($wanted.name | ascii_downcase)))]
  | {voices: ., total: length}' "$answer" > "$OUTPUT_PATH"
