# shellcheck shell=bash
# Made by `band convert`. The run.sh files of this skill share it: properties of the input become the arguments of a
# script, and the text that the script prints becomes the output.
set -uo pipefail

words=()     # the arguments
printed=""   # a file with the standard output of the script

# refuse MESSAGE HINT: ends the run with this error.
refuse() {
  jq -n --arg message "$1" --arg hint "$2" '{$message, $hint}' > "$ERROR_PATH"
  exit 1
}

# words_of FILTER: sets `words` to the values that the jq filter makes from the input. @sh quotes each of them, so that
# bash does not read them as code.
words_of() {
  local quoted
  quoted=$(jq -r '['"$1"'] | map(tostring) | if any(explode | any(. == 0)) then error else @sh end' "$INPUT_PATH" 2> /dev/null) ||
    refuse "a value of the input has the character U+0000" "leave it out: the argument of a program cannot contain it"
  eval "words=($quoted)"
}

# stdin_of_input: the script reads the property `stdin`; without it, the standard input of `band run --stdin`.
stdin_of_input() {
  local text
  if ! jq -e 'has("stdin")' "$INPUT_PATH" > /dev/null; then return; fi
  text=$(mktemp)
  jq -j .stdin "$INPUT_PATH" > "$text"
  exec < "$text"
}

# directories_of FILTER: makes the directories of these paths, which the script writes. The copy of the workspace has only
# the directories of shipped files.
directories_of() {
  local path
  words_of "$1"
  for path in "${words[@]}"; do mkdir -p -- "$(dirname -- "$path")"; done
}

# call COMMAND...: runs it. If it fails, the run fails with the same status, and the message has the last line of its
# stderr. band shows the log before the message.
call() {
  local status complaints message
  printed=$(mktemp) complaints=$(mktemp)
  {
    "$@" 2>&1 >&3 3>&- | tee "$complaints" >&2
    status=${PIPESTATUS[0]}
  } 3> "$printed"
  if ((status == 0)); then return; fi
  cat "$printed"
  message=$(grep -a '[^[:space:]]' "$complaints" | tail -n 1 | tail -c 2000 | tr -d '\0')
  jq -n --arg message "the script ended with status $status${message:+: $message}" '{$message}' > "$ERROR_PATH"
  exit "$status"
}

# call_for_text COMMAND...: the output is {"text": ...} with the printed text.
call_for_text() {
  call "$@"
  put_text
}

# call_for_json COMMAND...: the output is the printed JSON if that is one object or list, else {"text": ...}.
call_for_json() {
  call "$@"
  if jq -en '[inputs] | length == 1 and (.[0] | type == "object" or type == "array")' < "$printed" > /dev/null 2>&1; then
    cat "$printed" > "$OUTPUT_PATH"
  else
    put_text
  fi
}

# Uses base64, because jq 1.6 breaks characters of long lines when it reads text (`jq -R`). Bytes that are not UTF-8 are
# changed by jq, which the comparison detects.
put_text() {
  local encoded
  encoded=$(mktemp)
  { base64 -w 0 "$printed" && echo; } > "$encoded"
  jq -Rrj @base64d "$encoded" | cmp -s - "$printed" ||
    refuse "the output of the script is not UTF-8 text" "let it write such bytes to a file of the workspace, and allow this file in BAND.md"
  jq -Rc '{text: @base64d}' "$encoded" > "$OUTPUT_PATH"
}
