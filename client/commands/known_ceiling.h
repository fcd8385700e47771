// The operator's ceiling, asked of a target's server as far as one answers.
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
  std::string target;   // "" when nothing says which one is meant
  std::string unknown;  // without rules: why the ceiling is not known
};

// Only a server that is reached as things are is asked: no virtual machine is started and no tunnel opened for it.
// --offline asks none. Error (Code::Usage): --target names no target.
Result<KnownCeiling> ask_ceiling(const CommandLine& line, Terminal& terminal);

}  // namespace band::client
