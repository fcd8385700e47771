#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/slack.sh
. "$BAND_LIB/slack.sh"
open_channel '"threads", (sent_text | empty)'
ask chat.postMessage 'message + {thread_ts: asked.thread}' '
  if .message.thread_ts? == asked.thread then {channel: (channel | place), thread: asked.thread, ts}
  else refuse("Slack has posted the message as \(.ts), but not in the thread"; "check that the thread begins at this ts in this channel") end' \
  > "$OUTPUT_PATH"
