// While a sandbox runs: its logs, its reports, its client and its clock, in one loop.
#pragma once

#include <cstdint>
#include <variant>

#include "schemas/result.h"
#include "server/run/cancellation.h"
#include "server/run/commands.h"
#include "server/run/file_witness.h"
#include "server/run/logs.h"
#include "server/run/network.h"
#include "server/run/reply.h"
#include "server/run/sandbox.h"

namespace band::run {

// How it ended. A set-up failure never looks like the script's own exit code.
struct Exited {
  int status = 0;
};
struct Killed {
  int signal = 0;
};
struct TimedOut {};
struct Cancelled {
  std::string why;
};
struct SetupFailed {
  Error error;
};
using Ending = std::variant<Exited, Killed, TimedOut, Cancelled, SetupFailed>;

struct Watched {
  Sandbox& sandbox;
  Log& out;
  Log& err;
  Reply& reply;
  Commands& commands;
  Network& network;
  Record& record;
  FileWitness* files = nullptr;  // null: the rules insist on none
  const Cancellation* cancellation = nullptr;
  std::int64_t max_runtime_ms = 0;
};

struct Course {
  Ending ending = Exited{};
  std::int64_t started_us = 0;  // monotonic; 0: the script never started
  std::int64_t cpu_us = 0;
};

// Sends the plan when band-init, the commands' view and the network are ready, and returns when the script has ended or
// is to be ended. What still runs is the caller's to kill (Sandbox::end).
Course supervise(const Watched& watched, const init::Plan& plan);

}  // namespace band::run
