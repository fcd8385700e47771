#!/bin/bash
# Write a Markdown report of a text file
set -eu

die() { echo "report: $*" >&2; exit 1; }

usage() {
  echo "Usage: report.sh --input FILE --output FILE [--title TITLE] [--tag TAG ...] [--force]"
  echo "  --title TITLE   the heading (default: Report)"
  echo "  --force         replace a report that is there"
}

title="Report"
force=false
input=""
output=""
tags=()
while [ $# -gt 0 ]; do
  case "$1" in
    -t|--title) title="$2"; shift 2 ;;
    --input) input="$2"; shift 2 ;;
    -o|--output) output="$2"; shift 2 ;;
    --tag) tags+=("$2"); shift 2 ;;
    -f|--force) force=true; shift ;;
    -h|--help) usage; exit 0 ;;
    *) die "unknown option: $1" ;;
  esac
done

[ -n "$input" ] || { usage >&2; exit 2; }
[ -f "$input" ] || die "no such file: $input"
if [ -e "$output" ] && [ "$force" != true ]; then die "$output is there already"; fi

here=$(cd "$(dirname "$0")" && pwd)
{
  printf '# %s\n\n' "$title"
  for tag in ${tags[@]+"${tags[@]}"}; do printf -- '- %s\n' "$tag"; done
  printf '%s lines, %s words\n\n' "$(wc -l < "$input")" "$(wc -w < "$input")"
  sed 's/^/> /' "$input"
  cat "$here/../assets/footer.md"
} > "$output"
echo "wrote $output"
