// How an execution ended.
#pragma once

#include <string>
#include <variant>

#include "schemas/core/result.h"

namespace band::run {

// How the script ended, or the reason why the execution ended before the script did. A failed set-up has its own type,
// so that no failed set-up is confused with an exit code of the script.
struct Exited {
  int status = 0;
};
struct Killed {  // by a signal
  int signal = 0;
};
struct TimedOut {};  // the script ran longer than the time limit
// The caller or the server ended the execution, or the client disconnected.
struct Cancelled {
  std::string why;
};
// A part of the sandbox could not be set up, or failed while the script ran (PartFailed in execution/supervision.h).
struct SetupFailed {
  Error error;
};
using Ending = std::variant<Exited, Killed, TimedOut, Cancelled, SetupFailed>;

}  // namespace band::run
