# shellcheck shell=bash
# Functions for the programs in tools/. Sourced after `set -euo pipefail`.

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck disable=SC2034
jobs=$(nproc)

say() { printf '%s\n' "$*"; }
warn() { printf '%s\n' "$*" >&2; }

die() {
  warn "${0##*/}: $1"
  if [[ -n ${2-} ]]; then warn "$2"; fi
  exit 1
}

need_root() {
  if ((EUID != 0)); then die "this needs root: $1" "run: sudo $0"; fi
}

# tell_steps LABEL LOG: prints the progress `[n/m]` of the ninja whose output is in LOG. On a terminal, rewrites the line
# every second; otherwise prints a line every 30 s.
tell_steps() {
  local label=$1 log=$2 begin=$SECONDS steps last=0 never
  exec {never}<> <(:)                                            # never readable, so `read -t 1` waits one second; a sleep(1) would outlive this process
  while ! read -rt 1 -u "$never" && kill -0 $$ 2> /dev/null; do  # Ctrl-C ends $$, but not background processes
    steps=$(grep -ao '^\[[0-9]*/[0-9]*\]' "$log" | tail -n 1) || continue
    if [[ -t 1 ]]; then
      printf '\r%s ... %s ' "$label" "$steps"
    elif ((SECONDS - begin >= last + 30)); then
      last=$((SECONDS - begin))
      printf '\n%s ... %s after %d s ... ' "$label" "$steps" "$last"
    fi
  done
}

# quietly LABEL COMMAND...: runs the command. Prints one line with the label and the result (no line if the label is empty),
# and the end of the command's output only if the command fails. With `ninja=1` in the environment, tell_steps prints the
# progress.
quietly() {
  local label=$1 log status=0 begin=$SECONDS teller=""
  shift
  log=$(mktemp "${TMPDIR:-/tmp}/tools-XXXXXX")
  if [[ -n $label ]]; then printf '%s ... ' "$label"; fi
  if [[ -n ${ninja-} ]]; then
    tell_steps "$label" "$log" &
    teller=$!
  fi
  "$@" > "$log" 2>&1 < /dev/null || status=$?
  if [[ -n $teller ]]; then
    kill "$teller"
    wait "$teller" 2> /dev/null || true
  fi
  if ((status == 0)); then
    if [[ -n $label ]]; then say "done ($((SECONDS - begin)) s)"; fi
  else
    if [[ -n $label ]]; then say "failed"; fi
    warn "--- $*: exit status $status; the end of its output:"
    tail -n 60 "$log" >&2
  fi
  rm -f -- "$log"
  return "$status"
}

# configure PRESET: configures the preset if its build directory is not configured yet. Later changes of CMake files are
# detected by ninja.
configure() {
  local directory=$root/build
  if [[ $1 != release ]]; then directory=$root/build-$1; fi
  if [[ -f $directory/build.ninja ]]; then return 0; fi
  (cd "$root" && cmake --preset "$1")
}

# build PRESET [TARGET...]: builds the targets of the preset; without TARGET, all.
build() {
  local preset=$1
  shift
  (cd "$root" && nice cmake --build --preset "$preset" -j "$jobs" ${1:+--target "$@"})
}
