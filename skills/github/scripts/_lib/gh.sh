# shellcheck shell=bash
# What the scripts over gh share. Sourced: . "$BAND_LIB/gh.sh"
workspace=$PWD
cd "$TMPDIR" || exit

# fail MESSAGE [HINT]: ends the script, and tells its caller why.
fail() {
  jq -n --arg message "$1" --arg hint "${2-}" '{message: $message} + if $hint == "" then {} else {hint: $hint} end' > "$ERROR_PATH"
  exit 1
}

# from_input FILTER: the array `words` has the arguments that FILTER makes of the input, whatever characters are in them.
# `one` is for flags that take a list with commas between, which gh reads as CSV; `workspace` is where the script was started.
# shellcheck disable=SC2034
words=()
from_input() {
  local quoted
  quoted=$(jq -r --arg workspace "$workspace" "def workspace: \$workspace; def one: [.] | @csv;
    [$1] | if any(.[] | strings; explode | any(. == 0)) then error else @sh end" "$INPUT_PATH") ||
    fail "a value of the input has a NUL character in it" "no argument of a command can have one"
  eval "words=($quoted)"
}

# body NAME: that text of the input, byte for byte.
body() { jq -j --arg name "$1" '.[$name] // ""' "$INPUT_PATH"; }

# run WORD...: gh, with its output in the file out. When gh fails, the script ends with what GitHub says.
run() { gh "$@" > out 2> err || failed $?; }

# api WORD...: the same with `gh api`, and out is two files then: the headers of the answer in headers, the rest in out.
api() {
  run api --include "$@"
  split_answer
}

split_answer() {
  sed -n '1,/^\r$/p' out > headers
  sed -i '1,/^\r$/d' out
}

# result FILTER: the script's output is what FILTER makes of gh's, of null if that is empty; `given` is the input.
result() { jq -c -s --slurpfile input "$INPUT_PATH" "def given: \$input[0]; .[0] | $1" out > "$OUTPUT_PATH"; }

# list NAME FILTER: of gh's list, which was asked for one more than the limit, what FILTER makes of each.
list() { result "{$1: [(. // [])[:given.limit][] | $2], more: (. // [] | length > given.limit)}"; }

# made, made_comment: the output is what gh has printed, the URL of it.
made() { jq -Rc '{number: (split("/")[-1] | tonumber), url: .}' out > "$OUTPUT_PATH"; }
made_comment() { jq -Rc '{url: .}' out > "$OUTPUT_PATH"; }

# was_changed: false when gh says that all was so already: "! Issue #7 (Title) is already closed".
was_changed() { if grep -q '^! .* \(is\|was\) already ' err; then echo false; else echo true; fi; }

# changed STATE: the output is that state, and whether it is new.
changed() { result "{number: given.number, state: \"$1\", changed: $(was_changed)}"; }

# more: true when GitHub says that there is another page.
more() { if grep -qi '^link:.*rel="next"' headers; then echo true; else echo false; fi; }

# failed STATUS: ends the script with what gh, and the headers of an answer if there is one, say of the failure. Without headers
# nothing says when a rate limit ends: GitHub is asked, which counts towards no limit. Of a secondary limit it does not say
# either; its documentation wants a minute at least.
failed() {
  cat err >&2
  if (($1 > 125)); then exit "$1"; fi # gh did not run: band has the reason
  local limits='{}'
  if grep -q '^HTTP/' out; then split_answer; else : > headers; fi
  if grep -qi 'rate limit' err && ! grep -qi 'secondary' err && [[ ! -s headers ]]; then
    limits=$(gh api --method=GET rate_limit 2> err-of-limits) || limits='{}'
  fi
  jq -Rsc --argjson limits "$limits" --rawfile head headers --rawfile out out --arg so_far "${so_far-}" \
    -f "$BAND_LIB/failure.jq" err > "$ERROR_PATH"
  exit 1
}
