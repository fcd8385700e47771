#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/slack.sh
. "$BAND_LIB/slack.sh"
# open_channel already has Slack's full description of the channel.
open_channel empty
program 'channel | described' -n > "$OUTPUT_PATH"
