#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/slack.sh
. "$BAND_LIB/slack.sh"
check empty
cursor=$(program 'asked.cursor // ""' -n)
# 10 pages: half of the calls that Slack allows in a minute. The first line of each answer is the next cursor.
for ((page = 0; page < 10; page++)); do
  ask conversations.list '{exclude_archived: true, limit: 999, cursor: cursor,
      types: ("public_channel,private_channel" + if settings.dm then ",mpim,im" else "" end)}' \
    '(next.cursor // ""), {all: (.channels | length), open: (.channels | open_ones | map(described))}' > "$dir/page"
  { read -r cursor && cat >> "$dir/pages"; } < "$dir/page"
  if [[ -z $cursor ]]; then break; fi
done
program '[inputs] | {channels: map(.open[]), closed: (map(.all - (.open | length)) | add), more: (cursor != null)}
  + ({cursor: cursor} | present)' -n "$dir/pages" > "$OUTPUT_PATH"
