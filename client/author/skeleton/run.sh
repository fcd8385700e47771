#!/bin/bash
# Reads the input (JSON, schemas/input/@SCRIPT@.json) from $INPUT_PATH and writes the output (JSON,
# schemas/output/@SCRIPT@.json) to $OUTPUT_PATH. Everything that it prints is its log. To fail, write
# {"message": "...", "hint": "..."} to $ERROR_PATH and exit with another status than 0.
set -euo pipefail

jq -c '{greeting: "Hello, \(.name)!"}' "$INPUT_PATH" > "$OUTPUT_PATH"
