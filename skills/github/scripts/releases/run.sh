#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/fetch.sh
. "$BAND_LIB/fetch.sh"
url=$(jq -r '"https://api.github.com/repos/\(.repository)/releases?per_page=\(.count)"' "$INPUT_PATH")
fetch "$url" "Accept: application/vnd.github+json" > /tmp/releases
jq '{releases: [.[] | {tag: .tag_name, name: (.name // ""), date: .published_at[:10], prerelease}]}' /tmp/releases \
  > "$OUTPUT_PATH"
