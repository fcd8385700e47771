#include "client/commands/connect.h"

#include <unistd.h>

#include <cstdlib>

#include "client/commands/machine_show.h"
#include "client/ssh/tunnel.h"
#include "client/vm/machine.h"

namespace band::client {
namespace {

constexpr std::int64_t kClockMs = 5000;

// Sets the clock of a virtual machine, because Lima does not set the clock of a machine that is `plain`. A wrong clock
// would change the file times in requests and the validity of certificates. Returns true when the clock had to be set.
// Then a new connection is needed: setting the clock is slow, and in this time the server closes the idle connection.
bool set_clock_of_machine(const Target& target, std::int64_t ahead_ms, Terminal& terminal) {
  const std::string difference = clock_difference(ahead_ms);
  if (target.vm.empty() || difference.empty()) return false;
  const Status set = vm::set_clock(target.vm);
  terminal.note("note: the clock of the virtual machine was " + difference +
                (set.ok() ? "; band has set it" : ", and band cannot set it: " + set.error().message()));
  return true;
}

}  // namespace

std::string clock_difference(std::int64_t ahead_ms) {
  if (ahead_ms > -kClockMs && ahead_ms < kClockMs) return "";
  return std::to_string(std::abs(ahead_ms) / 1000) + " s " + (ahead_ms > 0 ? "ahead" : "behind");
}

Status proves(const Target& target) { return Daemon(target).prove(); }

Result<Target> bring_up(const Target& target, const Error& unreachable, Terminal& terminal) {
  if (!target.vm.empty()) {
    MachineShow shown(terminal);
    return vm::bring_up(target, proves, shown.show());
  }
  if (target.ssh.empty()) return unreachable;
  const bool person = ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
  terminal.note("note: opening the tunnel of target " + target.name + ": ssh to " + target.ssh);
  BAND_TRY(const bool opened, open_tunnel(target, person ? Questions::Allowed : Questions::None));
  if (!opened) return unreachable;
  return target;
}

Status Connection::open(const Target& target, Terminal& terminal) {
  Target up = target;
  Status proved = attempt(up);
  if (!proved.ok() && proved.error().code == Code::ServerUnreachable) {
    BAND_TRY(up, bring_up(target, proved.error(), terminal));
    proved = attempt(up);
  }
  if (proved.ok() && set_clock_of_machine(target, daemon_->clock_ahead_ms(), terminal)) proved = attempt(up);
  return proved;
}

Status Connection::attempt(const Target& target) {
  {
    const std::lock_guard lock(mutex_);
    daemon_ = std::make_unique<Daemon>(target);
    if (stopped_) daemon_->stop();
  }
  return daemon_->prove();
}

void Connection::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  if (daemon_) daemon_->stop();
}

}  // namespace band::client
