#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/slack.sh
. "$BAND_LIB/slack.sh"
# Checks the text with the input: a text that is too long is refused before any call.
open_channel 'sent_text | empty'
ask chat.postMessage message '{channel: (channel | place), ts}' > "$OUTPUT_PATH"
