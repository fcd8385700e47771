#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/slack.sh
. "$BAND_LIB/slack.sh"
open_channel '"reactions"'
ask reactions.remove '{channel: channel.id, timestamp: asked.ts, name: asked.name}' \
  '{channel: (channel | place), ts: asked.ts, name: asked.name}' > "$OUTPUT_PATH"
