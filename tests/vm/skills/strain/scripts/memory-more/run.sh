#!/bin/bash
set -eu -o pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/fill.sh
. "$BAND_LIB/fill.sh"
fill > "$OUTPUT_PATH"
