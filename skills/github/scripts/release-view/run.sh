#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/gh.sh
. "$BAND_LIB/gh.sh"
from_input '"--repo=\(.repository)", "--", (.tag // empty)'
run release view --json=tagName,name,body,isDraft,isPrerelease,targetCommitish,author,createdAt,publishedAt,assets,url "${words[@]}"
result '{tag: .tagName, name, notes: .body, draft: .isDraft, prerelease: .isPrerelease, ref: .targetCommitish, author: .author.login,
  createdAt, publishedAt, assets: [.assets[] | {name, size, contentType, downloads: .downloadCount, url}], url}'
