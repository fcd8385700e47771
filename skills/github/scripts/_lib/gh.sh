# shellcheck shell=bash
# Functions for the scripts that use gh. Sourced: . "$BAND_LIB/gh.sh"
workspace=$PWD
cd "$TMPDIR" || exit

# fail MESSAGE [HINT]: writes the error for the caller and ends the script.
fail() {
  jq -n --arg message "$1" --arg hint "${2-}" '{message: $message} + if $hint == "" then {} else {hint: $hint} end' > "$ERROR_PATH"
  exit 1
}

# from_input FILTER: sets the array `words` to the arguments that FILTER creates from the input, with arbitrary characters.
# `one` is for flags with a comma-separated list, which gh reads as CSV; `workspace` is the directory where the script was started.
# shellcheck disable=SC2034
words=()
from_input() {
  local quoted
  quoted=$(jq -r --arg workspace "$workspace" "def workspace: \$workspace; def one: [.] | @csv;
    [$1] | if any(.[] | strings; explode | any(. == 0)) then error else @sh end" "$INPUT_PATH") ||
    fail "a value of the input has a NUL character" "arguments of commands cannot have one"
  eval "words=($quoted)"
}

# body NAME: prints this text of the input, unchanged.
body() { jq -j --arg name "$1" '.[$name] // ""' "$INPUT_PATH"; }

# run WORD...: runs gh with its output in the file out. When gh fails, the script ends with GitHub's message.
run() { gh "$@" > out 2> err || failed $?; }

# api WORD...: the same for `gh api`; splits the answer into the file headers and the body in the file out.
api() {
  run api --include "$@"
  split_answer
}

split_answer() {
  sed -n '1,/^\r$/p' out > headers
  sed -i '1,/^\r$/d' out
}

# result FILTER: writes the script's output: FILTER applied to gh's output, or to null if that is empty. `given` is the input.
result() { jq -c -s --slurpfile input "$INPUT_PATH" "def given: \$input[0]; .[0] | $1" out > "$OUTPUT_PATH"; }

# list NAME FILTER: writes the list with FILTER applied to each item. gh was called with a limit one higher, to set `more`.
list() { result "{$1: [(. // [])[:given.limit][] | $2], more: (. // [] | length > given.limit)}"; }

# made, made_comment: writes the output with the URL that gh has printed.
made() { jq -Rc '{number: (split("/")[-1] | tonumber), url: .}' out > "$OUTPUT_PATH"; }
made_comment() { jq -Rc '{url: .}' out > "$OUTPUT_PATH"; }

# was_changed: prints false when gh reports that nothing changed: "! Issue #7 (Title) is already closed".
was_changed() { if grep -q '^! .* \(is\|was\) already ' err; then echo false; else echo true; fi; }

# changed STATE: writes this state and whether it is new.
changed() { result "{number: given.number, state: \"$1\", changed: $(was_changed)}"; }

# more: prints true when GitHub's answer names another page.
more() { if grep -qi '^link:.*rel="next"' headers; then echo true; else echo false; fi; }

# failed STATUS: ends the script with an error from gh's message and from the headers of an answer, if there is one. Without headers,
# the end of a rate limit is queried from GitHub, which counts towards no limit. The end of a secondary limit cannot be queried;
# GitHub's documentation requires at least one minute.
failed() {
  cat err >&2
  if (($1 > 125)); then exit "$1"; fi # gh did not run: band reports the reason
  local limits='{}'
  if grep -q '^HTTP/' out; then split_answer; else : > headers; fi
  if grep -qi 'rate limit' err && ! grep -qi 'secondary' err && [[ ! -s headers ]]; then
    limits=$(gh api --method=GET rate_limit 2> err-of-limits) || limits='{}'
  fi
  jq -Rsc --argjson limits "$limits" --rawfile head headers --rawfile out out --arg so_far "${so_far-}" \
    -f "$BAND_LIB/failure.jq" err > "$ERROR_PATH"
  exit 1
}
