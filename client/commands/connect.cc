#include "client/commands/connect.h"

#include <unistd.h>

#include "client/ssh/tunnel.h"

namespace band::client {
namespace {

bool works(const Target& target) { return Daemon(target).prove().ok(); }

}  // namespace

Status bring_up(const Target& target, const Error& unreachable, Terminal& terminal) {
  if (target.ssh.empty()) return unreachable;
  const bool person = ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
  terminal.note("note: opening the tunnel of target " + target.name + ": ssh to " + target.ssh);
  return open_tunnel(target, person ? Questions::Allowed : Questions::None, [&] { return works(target); });
}

Status Connection::open(const Target& target, Terminal& terminal) {
  const Status first = attempt(target);
  if (first.ok() || first.error().code != Code::ServerUnreachable) return first;
  BAND_CHECK(bring_up(target, first.error(), terminal));
  return attempt(target);
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
