#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/fetch.sh
. "$BAND_LIB/fetch.sh"
# Percent-encodes each part separately, so that names can have arbitrary characters in the URL.
url=$(jq -r '"https://raw.githubusercontent.com/" +
  ([(.repository, .ref, .path) | split("/")[] | @uri] | join("/"))' "$INPUT_PATH")
fetch "$url" > /tmp/file
jq -R -s '{text: .}' /tmp/file > "$OUTPUT_PATH"
