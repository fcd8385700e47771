#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/slack.sh
. "$BAND_LIB/slack.sh"
# What Slack has answered there is all that there is to tell.
open_channel empty
program 'channel | described' -n > "$OUTPUT_PATH"
