#!/bin/bash
# One jq from input to output: the name is never part of a shell word, so nothing needs quoting.
set -eu

jq -c '{greeting: "\(.word // "Hello"), \(.name)!"}' "$INPUT_PATH" > "$OUTPUT_PATH"
