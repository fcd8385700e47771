#!/bin/bash
# Counts in several passes of small C programs: a few MB take a fraction of a second.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/input.sh
. "$BAND_LIB/input.sh"
read_input top

lines=$(wc -l < "$path")
bytes=$(wc -c < "$path")
# Each code point has exactly one byte that is not a continuation byte (10xxxxxx).
characters=$(tr -d '\200-\277' < "$path" | wc -c)
# Not `wc -w`: in the C locale it does not count words without ASCII characters. grep exits with 1 when the count is 0.
words=$(tr ' \t\v\f\r' '\n' < "$path" | { grep -ac . || [[ $? == 1 ]]; })

# One word per line, then counts. Bytes from 200 (octal) count as letters: they are parts of UTF-8 sequences.
tr -c "A-Za-z\200-\377'" '\n' < "$path" | tr '[:upper:]' '[:lower:]' |
  awk '{ gsub(/^\047+|\047+$/, "") } length($0) > 0 && length($0) <= 64 { count[$0]++ }
       END { for (word in count) print count[word], word }' |
  sort -k1,1nr -k2,2 | awk -v top="$number" 'NR <= top' |
  jq -cRn --argjson lines "$lines" --argjson words "$words" --argjson bytes "$bytes" \
    --argjson characters "$characters" --slurpfile input "$INPUT_PATH" \
    '{path: $input[0].path, $lines, $words, $bytes, $characters,
      top: [inputs | split(" ") | {word: .[1], count: (.[0] | tonumber)}]}' > "$OUTPUT_PATH"
