// A target's server, ready to be asked: proved, and where it was down with its machine, brought up first.
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

// Brings up what lies between this machine and the server of `target`, if anything does: starts its virtual
// machine, or opens the tunnel of one that is reached by ssh. Says so in a note. An error when there is nothing that
// this program could bring up: `unreachable`, which is the error that the caller met.
// Returns the target, whose address may be another one by then.
Result<Target> bring_up(const Target& target, const Error& unreachable, Terminal& terminal);

// Does the server prove itself now?
Status proves(const Target& target);

// "7200 s behind", of a server's clock (Daemon::clock_ahead_ms()); "" within the 5 s that a busy machine takes.
std::string clock_difference(std::int64_t ahead_ms);

// The way to a server, of a command that can be interrupted at any time.
class Connection {
 public:
  // The server has proved itself when this returns well. The first attempt takes what is there; when nothing answers,
  // bring_up() and a second one. Once, before daemon().
  Status open(const Target& target, Terminal& terminal);
  // The first attempt alone: nothing is brought up, and no note is written.
  Status attempt(const Target& target);
  Daemon& daemon() { return *daemon_; }
  // From any thread: what goes on and what follows fails with Code::Cancelled.
  void stop();

 private:
  std::mutex mutex_;  // between open() and stop()
  std::unique_ptr<Daemon> daemon_;
  bool stopped_ = false;
};

}  // namespace band::client
