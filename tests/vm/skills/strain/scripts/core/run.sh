#!/bin/bash
# Prints the soft and hard limit for core dumps. Only the value 1 also prevents a piped core (core(5)).
set -eu
awk '/core/ { printf "\"%s %s\"\n", $5, $6 }' /proc/self/limits > "$OUTPUT_PATH"
