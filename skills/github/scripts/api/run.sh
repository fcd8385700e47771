#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/gh.sh
. "$BAND_LIB/gh.sh"
from_input '.method,
  ([.path | ltrimstr("/") | split("/")[] | @uri] | join("/"))
    + ([.query // {} | to_entries[] | "\(.key | @uri)=\(.value | tostring | @uri)"] | if . == [] then "" else "?" + join("&") end),
  has("body")'
method=${words[0]}
if ! jq -e --arg method "$method" '.api.methods // ["GET"] | any(.[]; . == $method or . == "*")' "$CONFIG_PATH" > /dev/null; then
  fail "$method is not among the methods of this skill's configuration" \
    "the user can allow it: github: {api: {methods: [GET, $method]}} in ~/.config/band/skills/github.yaml"
fi
# A POST of GraphQL can read, change and delete, like all other methods together.
if [[ ${words[1]%%\?*} == graphql ]] && ! jq -e '.api.methods // [] | any(.[]; . == "*")' "$CONFIG_PATH" > /dev/null; then
  fail "GraphQL is open only if all methods are" 'the user can allow it: github: {api: {methods: ["*"]}} in ~/.config/band/skills/github.yaml'
fi
if [[ ${words[2]} == true && $method == GET ]]; then fail "GET has no body" "use query instead"; fi
if [[ ${words[2]} == true ]]; then
  jq -c .body "$INPUT_PATH" | api "--method=$method" --input=- -- "${words[1]}"
else
  api "--method=$method" -- "${words[1]}"
fi
jq -Rsc --rawfile head headers '
  {status: ($head | capture("^HTTP/[0-9.]+ (?<status>[0-9]+)").status | tonumber),
   body: (if . == "" then null elif $head | test("(?i)\ncontent-type: *application/([^ \r\n]*[+])?json") then fromjson else . end),
   more: ($head | test("(?i)\nlink:.*rel=\"next\""))}' out > "$OUTPUT_PATH"
