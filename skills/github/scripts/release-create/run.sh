#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/gh.sh
. "$BAND_LIB/gh.sh"
file=$(jq -r '.file // ""' "$INPUT_PATH")
if [[ /$file =~ /\.[^/]+ ]]; then
  fail "files whose name or directory begins with a dot are not attached" "a release may be public; rename the file"
fi
if [[ -n $file && ! -f $workspace/$file ]]; then fail "there is no file $file in the workspace"; fi
from_input '"--repo=\(.repository)", "--notes-file=-", (.title // empty | "--title=\(.)"), (.ref // empty | "--target=\(.)"),
  (if .draft then "--draft" else empty end), (if .prerelease then "--prerelease" else empty end),
  (if .generateNotes then "--generate-notes" else empty end), "--", .tag, (.file // empty | "\(workspace)/\(.)")'
body notes | run release create "${words[@]}"
jq -Rc --slurpfile input "$INPUT_PATH" '{tag: $input[0].tag, url: .}' out > "$OUTPUT_PATH"
