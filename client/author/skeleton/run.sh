#!/bin/bash
# Reads the input, JSON as schemas/input/@SCRIPT@.json says, from $INPUT_PATH, and writes the output, JSON as
# schemas/output/@SCRIPT@.json says, to $OUTPUT_PATH. What it prints is its log. When it fails, it writes
# {"message": "...", "hint": "..."} to $ERROR_PATH and exits with another status than 0.
set -euo pipefail

jq -c '{greeting: "Hello, \(.name)!"}' "$INPUT_PATH" > "$OUTPUT_PATH"
