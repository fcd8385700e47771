#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/gh.sh
. "$BAND_LIB/gh.sh"
from_input '"--raw-field=per_page=\(.limit)", "--raw-field=page=\(.page)", "repos/\(.repository)/releases"'
api --method=GET "${words[@]}"
result "{releases: [.[] | {tag: .tag_name, name: (.name // \"\"), draft, prerelease, createdAt: .created_at,
  publishedAt: .published_at, url: .html_url}], more: $(more)}"
