// The loop of one execution. It begins when the files of the request are in the sandbox. It waits for band-init (pid 1
// of the script's sandbox), for the namespaces of the declared commands (the command view) and for the network, and
// then starts the script. It handles the script's output and standard input, the reports of band-init, the commands,
// the events of the gateway and of the kernel, and the connection to the client. It enforces the time limit, and ends
// when the script ends.
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
  FileWitness* files = nullptr;                // null: the rules do not insist on files
  StandardInput* input = nullptr;              // null: the script has no standard input
  const Cancellation* cancellation = nullptr;  // must not be null
  std::int64_t max_runtime_ms = 0;
};

// Starts the script when band-init, the command view and the network are ready. Returns when the script's first process
// has ended, or when another event ends the execution (supervision.h). In both cases the caller must then kill the
// remaining processes (Sandbox::end(), Commands::end()). Call it on the slot's thread.
Course supervise(const Watched& watched, const init::Script& script);

}  // namespace band::run
