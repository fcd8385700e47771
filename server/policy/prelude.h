// The prelude: the file that each bash of the script view reads before its script (BASH_ENV). Pure.
#pragma once

#include <string>

#include "schemas/commands/plan.h"

namespace band::policy {

// Returns the text of the prelude. It disables the bash builtins that `plan` declares as commands, so that bash starts
// their shims instead. It reports commands that are not found to the broker, for the ledger. It prints nothing,
// whatever options bash has.
std::string prelude(const CommandPlan& plan);

}  // namespace band::policy
