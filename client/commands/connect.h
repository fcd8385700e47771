// The connection to a target's server. The server has proved that it has the token; a machine that was down is started.
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

// Makes the server of `target` reachable: starts its virtual machine, or opens its ssh tunnel, and prints a note.
// Returns the target, whose address may have changed. Returns the error `unreachable` (that of the caller's attempt)
// when the target has neither a virtual machine nor a tunnel that can be opened.
Result<Target> bring_up(const Target& target, const Error& unreachable, Terminal& terminal);

// Returns success when the server proves now that it has the target's token.
Status proves(const Target& target);

// "7200 s behind", for Daemon::clock_ahead_ms(). Returns "" for less than 5 s, which is a usual delay of a busy
// machine.
std::string clock_difference(std::int64_t ahead_ms);

// The connection of a command that can be interrupted at any time.
class Connection {
 public:
  // Connects, and returns success when the server has proved that it has the token. When it is unreachable, calls
  // bring_up() and tries once more. Call it once, before daemon().
  Status open(const Target& target, Terminal& terminal);
  // One attempt, without bring_up() and without notes.
  Status attempt(const Target& target);
  Daemon& daemon() { return *daemon_; }
  // Thread-safe. The current call and all later ones fail with Code::Cancelled.
  void stop();

 private:
  std::mutex mutex_;  // between open() and stop()
  std::unique_ptr<Daemon> daemon_;
  bool stopped_ = false;
};

}  // namespace band::client
