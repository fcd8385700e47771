// While a sandbox runs: its logs, its reports, its client and its clock, in one loop.
#pragma once

#include <cstdint>

#include "schemas/result.h"
#include "server/run/boosts.h"
#include "server/run/cancellation.h"
#include "server/run/commands.h"
#include "server/run/file_witness.h"
#include "server/run/logs.h"
#include "server/run/network.h"
#include "server/run/reply.h"
#include "server/run/sandbox.h"
#include "server/run/supervision.h"

namespace band::run {

struct Watched {
  Sandbox& sandbox;
  Log& out;
  Log& err;
  Reply& reply;
  Commands& commands;
  Network& network;
  Record& record;
  Boost& boost;
  FileWitness* files = nullptr;  // null: the rules insist on none
  const Cancellation* cancellation = nullptr;
  std::int64_t max_runtime_ms = 0;
};

// Sends the plan when band-init, the commands' view and the network are ready, and returns when the script has ended or
// is to be ended. What still runs is the caller's to kill (Sandbox::end).
Course supervise(const Watched& watched, const init::Plan& plan);

}  // namespace band::run
