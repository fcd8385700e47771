#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/fetch.sh
. "$BAND_LIB/fetch.sh"
# Percent-encoded, each part by itself: a name is a name in the URL, whatever characters it has.
url=$(jq -r '"https://raw.githubusercontent.com/" +
  ([(.repository, .ref, .path) | split("/")[] | @uri] | join("/"))' "$INPUT_PATH")
fetch "$url" > /tmp/file
jq -R -s '{text: .}' /tmp/file > "$OUTPUT_PATH"
