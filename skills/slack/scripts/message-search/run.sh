#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/slack.sh
. "$BAND_LIB/slack.sh"
check '"search"'
ask search.messages 'asked | {query, count, page, sort, sort_dir: "desc", highlight: false}' .messages > "$dir/found"

# The description of a channel in a search result can close the channel, but never opens it: for that, the channel itself is
# requested from Slack, as in every other script.
program '[.matches[].channel | objects] | open_ones | map(.id) | unique[]' "$dir/found" > "$dir/ids"
: > "$dir/open"
while read -r id; do
  ask conversations.info '{channel: id}' '[.channel | select(.id == id)] | open_ones[]' >> "$dir/open"
done < "$dir/ids"

# shellcheck disable=SC2016  # jq's variables
program '(reduce inputs as $one ({}; .[$one.id] = ($one | place))) as $open
  # A reply to a thread has the ts of the thread in its link.
  | def is_reply: .ts as $ts | .permalink | type != "string" or any(scan("[?&]thread_ts=([0-9.]+)")[0]; . != $ts);
    [.matches[] | select($open[.channel.id? | strings] and (settings.threads or (is_reply | not)))
     | {channel: $open[.channel.id]} + ({ts, user, username, permalink} | present) + {text: (.text // "")}] as $left
  | {messages: $left, dropped: ((.matches | length) - ($left | length)), page: .paging.page,
     more: (.paging.page < .paging.pages)}' "$dir/found" "$dir/open" > "$OUTPUT_PATH"
