#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/slack.sh
. "$BAND_LIB/slack.sh"
check empty
ask users.info '{user: asked.user}' '.user
  | {id, name, realName: (.profile.real_name? // .real_name), displayName: .profile.display_name?, title: .profile.title?,
     status: .profile.status_text?, timezone: .tz, bot: .is_bot, deleted} | present' > "$OUTPUT_PATH"
