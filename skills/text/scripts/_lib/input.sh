# shellcheck shell=bash
# What the scripts of this skill share. Sourced: . "$BAND_LIB/input.sh"

# Bytes are bytes: the sandbox has no locale beyond C, and nothing below depends on one.
export LC_ALL=C

# fail MESSAGE [HINT]: tells the caller why, in the form that band shows, and ends the script.
fail() {
  jq -n --arg message "$1" --arg hint "${2-}" '{message: $message} + if $hint == "" then {} else {hint: $hint} end' \
    > "$ERROR_PATH"
  exit 1
}

# Sets `path` (with ./ in front, so that no name looks like an option) and checks that it is a file of the workspace;
# sets `number` to the input's property $1. Both are for the script that sources this. @sh quotes whatever is in the
# name: blanks, quotes, line feeds.
# shellcheck disable=SC2034
read_input() {
  number=""
  local given="" assignments
  assignments=$(jq -r --arg key "$1" '
    if .path | explode | any(. == 0) then error("a path with a NUL byte") else . end
    | "given=\(.path | @sh) number=\(.[$key] | tostring | @sh)"' "$INPUT_PATH") || fail "the path has a NUL byte in it"
  eval "$assignments"
  if [[ $given == /* ]]; then
    fail "$given is an absolute path" "write it relative to the workspace, like ./book.txt"
  fi
  path=./${given#./}
  if [[ -d $path ]]; then fail "$given is a directory" "name one file in it"; fi
  if [[ ! -f $path ]]; then
    fail "there is no file $given" \
      "only .txt files below the workspace are visible, and none whose name or directory begins with a dot"
  fi
}
