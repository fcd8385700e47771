#!/bin/bash
set -euo pipefail
count=$(jq .count "$INPUT_PATH")
# %x00 ends a field, so a subject cannot imitate another field. jq splits at 0x1f; a 0x1f in a name becomes a blank.
git log "--max-count=$count" --date=short --format='%h%x00%an%x00%ad%x00%s%x00' |
  tr '\0\037' '\037 ' |
  jq -R -s '{commits: [split("\u001f\n")[] | select(. != "") | split("\u001f") | {id: .[0], author: .[1], date: .[2], subject: .[3]}]}' \
    > "$OUTPUT_PATH"
