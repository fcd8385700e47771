// Connects to the server of a target. A connection is used only after the server has proved that it has the hash of the
// target's token (Daemon::prove()), because another program may listen on the server's port. If the server is not
// reachable because its virtual machine is stopped or its ssh tunnel is closed, Connection::open() starts the machine
// or opens the tunnel.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "client/targets/targets.h"
#include "client/terminal/terminal.h"
#include "client/transport/daemon.h"
#include "schemas/core/result.h"

namespace band::client {

// Starts the virtual machine of `target`, or opens the ssh tunnel of `target`, and prints a note. Returns the target
// with its current address, which may differ from the address in `target`. `unreachable`: the error of the caller's
// attempt to connect. bring_up() returns `unreachable` if the target has neither a virtual machine nor a tunnel, and
// also if the tunnel was already open.
Result<Target> bring_up(const Target& target, const Error& unreachable, Terminal& terminal);

// Returns success when the server proves now that it has the hash of the target's token. Does not call bring_up().
Status proves(const Target& target);

// `ahead_ms`: a result of Daemon::clock_ahead_ms(), the difference between the server's clock and this machine's.
// Returns the difference as a text: "7200 s behind". Returns "" for a difference of less than 5 s, because a late
// response of a busy machine can appear as such a difference.
std::string clock_difference(std::int64_t ahead_ms);

// A connection that another thread can end at any time with stop().
class Connection {
 public:
  // Connects, and returns success when the server has proved that it has the token's hash. When the server is
  // unreachable, calls bring_up() and tries once more. If the clock of the target's virtual machine differs from this
  // machine's clock by 5 s or more, sets it and prints a note. Call open() once, before daemon().
  Status open(const Target& target, Terminal& terminal);
  // As open(), but tries only once: does not call bring_up(), sets no clock and prints no note.
  Status attempt(const Target& target);
  Daemon& daemon() { return *daemon_; }
  // Thread-safe. Makes the current call and all later calls on this connection fail with Code::Cancelled.
  void stop();

 private:
  std::mutex mutex_;  // protects daemon_ and stopped_ when stop() is called during open()
  std::unique_ptr<Daemon> daemon_;
  bool stopped_ = false;
};

}  // namespace band::client
