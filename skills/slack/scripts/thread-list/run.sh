#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/slack.sh
. "$BAND_LIB/slack.sh"
open_channel '"threads"'
ask conversations.replies '{channel: channel.id, ts: asked.thread} + (asked | {limit, cursor})' \
  '{channel: (channel | place), messages: messages} + next' > "$OUTPUT_PATH"
