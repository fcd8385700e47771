#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/slack.sh
. "$BAND_LIB/slack.sh"
# The text is checked together with the input: what is too long is refused before any call.
open_channel 'sent_text | empty'
ask chat.postMessage message '{channel: (channel | place), ts}' > "$OUTPUT_PATH"
