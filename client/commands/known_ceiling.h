// Requests the operator's ceiling from the target's server, if the server is reachable.
#pragma once

#include <optional>
#include <string>

#include "client/terminal/command_line.h"
#include "client/terminal/terminal.h"
#include "schemas/core/result.h"
#include "schemas/rules/rules.h"

namespace band::client {

struct KnownCeiling {
  std::optional<Rules> rules;  // the ceiling; nothing if it is not known
  std::string target;          // "" when no target is chosen
  std::string unknown;         // why the ceiling is not known; "" if `rules` is set
};

// Does not start a virtual machine or open an ssh tunnel to reach the server. With --offline, sends no request; the
// ceiling is then not known. Errors (Code::Usage): --target names a target that does not exist; --offline and --target
// are both given.
Result<KnownCeiling> ask_ceiling(const CommandLine& line, Terminal& terminal);

}  // namespace band::client
