#!/bin/bash
# One jq from input to output: the name never passes through a shell word, so there is nothing to quote.
set -eu

jq -c '{greeting: "\(.word // "Hello"), \(.name)!"}' "$INPUT_PATH" > "$OUTPUT_PATH"
