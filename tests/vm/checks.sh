# shellcheck shell=bash
# For the test scripts here, which print a line for each promise: `ok NAME` or `not ok NAME`. Sourced. The checked commands write
# their output to the file $log. $failed becomes 1 when a check fails.
# shellcheck disable=SC2034,SC2154  # failed: read by the script; log: set by it

failed=0 began=$SECONDS

check() {  # NAME COMMAND...
  local name=$1
  shift
  if "$@"; then
    echo "ok $name ($((SECONDS - began)) s)"
  else
    failed=1
    echo "not ok $name ($((SECONDS - began)) s): $*"
    sed 's/^/    /' "$log" | tail -n 40
  fi
  began=$SECONDS
}

# Does $log contain the text, or match the regular expression?
says() { grep -qF -- "$1" "$log"; }
says_like() { grep -qE -- "$1" "$log"; }

status_is() {  # STATUS COMMAND...
  local wanted=$1 status=0
  shift
  "$@" || status=$?
  if ((status != wanted)); then echo "exit status $status, not $wanted" >> "$log"; fi
  ((status == wanted))
}
