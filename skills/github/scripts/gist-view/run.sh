#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/gh.sh
. "$BAND_LIB/gh.sh"
from_input '"gists/\(.id | @uri)"'
api --method=GET "${words[@]}"
result '{id, description: (.description // ""), public, owner: (.owner.login? // null), createdAt: .created_at, updatedAt: .updated_at,
  files: [.files[] | {name: .filename, language, size, content, more: .truncated}],
  more: .truncated, url: .html_url}'
