#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/gh.sh
. "$BAND_LIB/gh.sh"
from_input '"--raw-field=per_page=\(.limit)", "--raw-field=page=\(.page)"'
api --method=GET "${words[@]}" gists
result "{gists: [.[] | {id, description: (.description // \"\"), public, files: (.files | keys_unsorted), createdAt: .created_at,
  updatedAt: .updated_at, url: .html_url}], more: $(more)}"
