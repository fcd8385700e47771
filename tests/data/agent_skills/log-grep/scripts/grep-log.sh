#!/usr/bin/env bash
# Finds lines of a log file.
set -euo pipefail

usage() {
  cat <<EOF
Usage: $(basename "$0") [-h] [-i] [-l LEVEL] [-n COUNT] PATTERN FILE

  -i         ignore case
  -l LEVEL   only lines of this level (INFO, WARN, ERROR)
  -n COUNT   at most so many lines
EOF
}

level="" count=1000 grep_args=()
while getopts ":hil:n:" opt; do
  case $opt in
    h) usage; exit 0 ;;
    i) grep_args+=(-i) ;;
    l) level=$OPTARG ;;
    n) count="$OPTARG" ;;
    :) echo "option -$OPTARG needs a value" >&2; exit 2 ;;
    \?) echo "unknown option -$OPTARG" >&2; usage >&2; exit 2 ;;
  esac
done
shift $((OPTIND - 1))

if [[ $# -ne 2 ]]; then
  usage >&2
  exit 2
fi
pattern="$1"
file="$2"

if [[ ! -f $file ]]; then
  echo "no such file: $file" >&2
  exit 3
fi
grep -E ${grep_args[@]+"${grep_args[@]}"} -- "$pattern" "$file" | { if [[ -z $level ]]; then cat; else grep -F " $level "; fi; } | head -n "$count"
