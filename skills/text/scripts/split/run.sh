#!/bin/bash
# Writes parts of N lines into out/. The names are computed, not listed, because out/ may have parts of an earlier run.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/input.sh
. "$BAND_LIB/input.sh"
read_input lines

# awk counts a last line without a line feed; wc does not.
total=$(awk 'END { print NR }' "$path")
count=$(((total + number - 1) / number))
# 900: by default, band writes back at most 1,000 files.
if ((count > 900)); then
  fail "$total lines in parts of $number would be $count files" "the limit is 900: use --lines $(((total + 899) / 900)) or more"
fi

name=${path##*/}
name=${name%.txt}
mkdir -p ./out
split -l "$number" --numeric-suffixes=1 -a 4 --additional-suffix=.txt -- "$path" "./out/$name-"

jq -cn --arg name "$name" --argjson total "$total" --argjson each "$number" --argjson count "$count" \
  '{parts: [range(1; $count + 1) | {
     path: "out/\($name)-\("000\(.)"[-4:]).txt",
     lines: (if . < $count then $each else $total - ($count - 1) * $each end)}]}' > "$OUTPUT_PATH"
