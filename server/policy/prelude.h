// The file that bash reads first in the script view, through BASH_ENV. Pure.
#pragma once

#include <string>

#include "schemas/commands/plan.h"

namespace band::policy {

// Returns a prelude that disables the builtins of `plan`, so that bash uses their shims, and that reports commands
// which are not found to the broker, for the ledger. It prints nothing, with any options of bash.
std::string prelude(const CommandPlan& plan);

}  // namespace band::policy
