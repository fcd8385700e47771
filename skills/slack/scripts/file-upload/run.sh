#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/slack.sh
. "$BAND_LIB/slack.sh"
# Problems with the file are reported before any call.
path=""
assignment=$(program '"path=\(asked.path | @sh)"' -n)
eval "$assignment"
if [[ /$path/ =~ /\.[^/]+/ ]]; then fail "files whose name or directory begins with a dot are not uploaded" "give it another name"; fi
if [[ ! -f ./$path ]]; then fail "there is no file of that name in the workspace" "path is relative to the workspace"; fi
size=$(wc -c < "./$path")
if ((size == 0)); then fail "the file is empty, and Slack accepts no empty files" "upload another one"; fi

open_channel '"files", (asked.thread | select(.) | "threads")'

ask files.getUploadURLExternal '{filename: (asked.path | split("/")[-1]), length: size}' '"\(.upload_url) \(.file_id)"' > "$dir/place"
read -r url id < "$dir/place"
# None of these characters ends the quotes in curl's configuration.
[[ $url =~ ^https://files\.slack\.com/[A-Za-z0-9/_.~%?=\&:+-]*[A-Za-z0-9_.~%=-]$ && $id =~ ^F[A-Z0-9]+$ ]] ||
  fail "Slack's upload address is not below https://files.slack.com/" "nothing was uploaded"

# Uploads the file under a fixed name. The token is not sent there.
ln -s -- "$PWD/$path" "$dir/bytes"
fetch 'max-time = 200' "url = \"$url\"" 'header = "Content-Type: application/octet-stream"' 'request = "POST"' "upload-file = \"$dir/bytes\""
program 'if status == "200" and ([scan("OK - ([0-9]+)")[0] | tonumber] - [size] == []) then empty
  else refuse("files.slack.com did not accept the file: HTTP status \(status): \(.[:200])"; "try again later") end' -Rs "$dir/answer"

ask files.completeUploadExternal '{channel_id: channel.id, thread_ts: asked.thread,
    files: ([{id: id, title: (asked.title // (asked.path | split("/")[-1]))}] | tojson)}' \
  '{channel: (channel | place), file: id, bytes: size}' > "$OUTPUT_PATH"
