# shellcheck shell=bash
# Functions for the scripts of this skill. Sourced: . "$BAND_LIB/input.sh"

# Texts are handled as bytes: the sandbox has only the C locale, and no code below needs another.
export LC_ALL=C

# fail MESSAGE [HINT]: writes the error for the caller, in the form that band reads, and ends the script.
fail() {
  jq -n --arg message "$1" --arg hint "${2-}" '{message: $message} + if $hint == "" then {} else {hint: $hint} end' \
    > "$ERROR_PATH"
  exit 1
}

# Sets `path` (with the prefix ./, so that no name looks like an option) and checks that it is a file of the workspace.
# Sets `number` to the input's property $1. The sourcing script uses both. @sh quotes all characters of the name, such as
# blanks, quotes and line feeds.
# shellcheck disable=SC2034
read_input() {
  number=""
  local given="" assignments
  assignments=$(jq -r --arg key "$1" '
    if .path | explode | any(. == 0) then error("a path with a NUL byte") else . end
    | "given=\(.path | @sh) number=\(.[$key] | tostring | @sh)"' "$INPUT_PATH") || fail "the path has a NUL byte"
  eval "$assignments"
  if [[ $given == /* ]]; then
    fail "$given is an absolute path" "write it relative to the workspace, as in ./book.txt"
  fi
  path=./${given#./}
  if [[ -d $path ]]; then fail "$given is a directory" "name one file in it"; fi
  if [[ ! -f $path ]]; then
    fail "there is no file $given" \
      "only .txt files below the workspace are visible, without names or directories that begin with a dot"
  fi
}
