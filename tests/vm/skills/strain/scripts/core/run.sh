#!/bin/bash
# The limit for core dumps, soft and hard: 1 is the one value that also stops a piped core (core(5)).
set -eu
awk '/core/ { printf "\"%s %s\"\n", $5, $6 }' /proc/self/limits > "$OUTPUT_PATH"
