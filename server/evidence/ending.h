// How an execution ended.
#pragma once

#include <string>
#include <variant>

#include "schemas/core/result.h"

namespace band::run {

// A set-up failure never looks like the script's own exit code.
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

}  // namespace band::run
