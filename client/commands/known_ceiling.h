// Requests the operator's ceiling (the rules in server.yaml that bound every request) from the target's server, if the
// server is reachable.
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
// ceiling is then not known. If the target does not exist or its server does not respond, the result is not an error:
// KnownCeiling::unknown has the reason. Errors (Code::Usage): the value of --target is not a valid name of a target;
// --offline and --target are both given.
Result<KnownCeiling> ask_ceiling(const CommandLine& line, Terminal& terminal);

}  // namespace band::client
