#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/slack.sh
. "$BAND_LIB/slack.sh"
open_channel empty
ask conversations.history '{channel: channel.id} + (asked | {limit, cursor, oldest, latest})' \
  '{channel: (channel | place), messages: messages} + next' > "$OUTPUT_PATH"
