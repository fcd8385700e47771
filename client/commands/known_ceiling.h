// The operator's ceiling, requested from the target's server if it is reachable.
#pragma once

#include <optional>
#include <string>

#include "client/terminal/command_line.h"
#include "client/terminal/terminal.h"
#include "schemas/core/result.h"
#include "schemas/rules/rules.h"

namespace band::client {

struct KnownCeiling {
  std::optional<Rules> rules;
  std::string target;   // "" when no target is chosen
  std::string unknown;  // without rules: why the ceiling is not known
};

// Starts no virtual machine and opens no tunnel for the request. With --offline it sends no request. Error
// (Code::Usage): --target names a target that does not exist.
Result<KnownCeiling> ask_ceiling(const CommandLine& line, Terminal& terminal);

}  // namespace band::client
