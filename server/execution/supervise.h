// While a sandbox runs: its logs, its reports, its client and its clock, in one loop.
#pragma once

#include <cstdint>

#include "schemas/core/result.h"
#include "server/evidence/file_witness.h"
#include "server/evidence/logs.h"
#include "server/execution/boosts.h"
#include "server/execution/cancellation.h"
#include "server/execution/commands.h"
#include "server/execution/network.h"
#include "server/execution/sandbox.h"
#include "server/execution/standard_input.h"
#include "server/execution/supervision.h"
#include "server/http_link/reply_writer.h"

namespace band::run {

struct Watched {
  Sandbox& sandbox;
  Log& out;
  Log& err;
  ReplyWriter& reply;
  Commands& commands;
  Network& network;
  Record& record;
  Boost& boost;
  FileWitness* files = nullptr;    // null: the rules insist on none
  StandardInput* input = nullptr;  // null: the script reads none
  const Cancellation* cancellation = nullptr;
  std::int64_t max_runtime_ms = 0;
};

// Sends the script when band-init, the commands' view and the network are ready, and returns when the script has ended
// or is to be ended. What still runs is the caller's to kill (Sandbox::end).
Course supervise(const Watched& watched, const init::Script& script);

}  // namespace band::run
