#include "server/engine/self_check.h"

#include <sys/eventfd.h>

#include <cerrno>

#include "server/base/channel.h"
#include "server/base/io.h"

namespace band::run {
namespace {

// Each line names the layer that it checks. The script prints the message of the first failed check.
constexpr const char* kScript = R"BASH(
fail() { printf '{"message":"%s"}' "$1" > "$ERROR_PATH"; exit 1; }
status=$(</proc/self/status)
[[ $(id -un) == band-runner && $(id -G | wc -w) == 1 ]] || fail "slot: the script has other ids than band-runner"
[[ ! -e /home && ! -e /root && ! -e /var ]] || fail "view: directories of the machine are visible"
[[ ! -e /proc/sys && ! -e /proc/kcore ]] || fail "view: /proc shows more than processes"
[[ $(stat -f -c %t /usr /etc /dev/null | sort -u) == 794c7630 ]] || fail "view: floor or devices are not in an overlay"
(: > /usr/band-self-check) 2> /dev/null && fail "floor: /usr is writable"
cp /usr/bin/true /tmp/true && /tmp/true 2> /dev/null && fail "view: a written file can be executed"
[[ $status == *$'\nCapBnd:\t0000000000000000\n'* ]] || fail "privileges: the bounding set is not empty"
[[ $status == *$'\nCapEff:\t0000000000000000\n'* ]] || fail "privileges: a capability is left"
[[ $status == *$'\nNoNewPrivs:\t1\n'* ]] || fail "privileges: no_new_privs is not set"
[[ $status == *$'\nSeccomp:\t2\n'* ]] || fail "syscalls: no seccomp filter is installed"
(: < /band/canary) 2> /dev/null && fail "landlock: a file without a rule can be opened"
(: > /dev/tcp/127.0.0.1/9) 2> /dev/null && fail "network: a connection to 127.0.0.1 succeeded"
[[ $(ulimit -c) == 0 ]] || fail "limits: core dumps are enabled"
echo '{"ok":true}' > "$OUTPUT_PATH"
)BASH";

}  // namespace

Status self_check(slot::Slot& slot, SlotMounts& mounts, const Site& site) {
  BAND_TRY(auto ends, base::stream_pair());
  ReplyWriter reply(std::move(ends.first));
  Cancellation never;
  never.event.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!never.event) return layer_error("run", "cannot make an eventfd", errno);
  ExecRequest request;
  request.script = "band/self-check";
  request.source = kScript;
  Boosts boosts;
  Boost boost(boosts, slot, "self-check");
  const Job job{"5e1fc4ec", "self-check", base::monotonic_us(), &never, boost, mounts};
  Outcome outcome = execute(slot, site, job, std::move(request), reply);
  Status removed = remove(std::move(outcome.rest));
  if (outcome.answer.error) {
    Error error = *outcome.answer.error;
    error.code = Code::SandboxUnavailable;
    if (error.layer.empty()) error.layer = "self-check";
    return error;
  }
  return removed;
}

}  // namespace band::run
