#!/bin/bash
# Tests tools/lib/leftovers: it reports what tests leave, and not what a server of the user starts. Needs root.
set -euo pipefail

leftovers=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)/tools/lib/leftovers
if [[ ${1-} != inside ]]; then
  # Other programs of band run on this machine; they must not appear in the lists.
  exec unshare --mount --pid --net --fork --kill-child --mount-proc "$(realpath -- "${BASH_SOURCE[0]}")" inside
fi
for place in /run /tmp /var/lib /dev/shm /sys/fs/cgroup; do mount -t tmpfs tmpfs "$place"; done
cd /tmp
failed=0

# A program with the name of a server: it starts each command line that it reads, and waits for none.
cp /usr/bin/bash band-server
cp /usr/bin/sleep band-gateway
cp /usr/bin/sleep band
cp /usr/bin/sleep test_left
start_server() {
  # shellcheck disable=SC2016  # expanded by the other shell
  exec {server}> >(exec ./band-server -c 'while read -r line; do $line & done')
  server_pid=$!
}
# The server starts the command; waits until one more process has the name.
order() { # NAME COMMAND...
  local name=$1 had
  shift
  had=$(pgrep -cx "$name" || true)
  printf '%s\n' "$*" >&"$server"
  until (($(pgrep -cx "$name") > had)); do sleep 0.01; done
}
expect() { # NAME STATUS TEXT
  local got status=0
  got=$("$leftovers" after list 2>&1) || status=$?
  got=$(sed '/^  /d' <<< "$got") # without the details of processes
  # shellcheck disable=SC2053  # a pattern
  if [[ $status == "$2" && $got == $3 ]]; then return; fi
  printf '%s: status %s, expected %s\n--- printed\n%s\n' "$1" "$status" "$2" "$got" >&2
  failed=1
}

start_server
# shellcheck disable=SC2016
exec {terminal}> >(exec setsid bash -c 'while read -r line; do $line & done')
until [[ $(ps -o sid= -p "$!") -eq $! ]]; do sleep 0.01; done
"$leftovers" before list
expect "nothing changed" 0 ""
order band-gateway ./band-gateway 100
order band-gateway unshare --net ./band-gateway 101
expect "a server started processes and a network namespace" 0 ""

printf './band 103\n' >&"$terminal"
until pgrep -x band > /dev/null; do sleep 0.01; done
expect "a user started a client in another terminal" 0 ""

./test_left 100 &
test=$!
expect "a test left a process" 1 "left behind: process $test test_left"
kill "$test"
wait "$test" || true
unshare --net sleep 102 &
test=$!
expect "a test left a network namespace" 1 "left behind: network namespace net:*"
kill "$test"
wait "$test" || true
expect "the test's processes have ended" 0 ""

first=$server_pid
kill "$first"
wait "$first" || true
expect "the server has exited, and its processes are left" 1 "*process * band-gateway*"
pkill -x band-gateway
start_server
expect "a test left a server" 1 "left behind: process $server_pid band-server"
kill "$server_pid"
wait "$server_pid" || true
exit "$failed"
