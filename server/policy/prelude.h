// The prelude: the file that each bash of the script view reads before its script (BASH_ENV). Pure.
#pragma once

#include <string>

#include "schemas/commands/plan.h"

namespace band::policy {

// Returns the text of the prelude. The prelude disables the bash builtins that have a shim (CommandPlan::builtins), so
// that bash starts the shims instead. If bash does not find a command, the prelude reports the command's name and
// arguments to the broker, for the ledger. The prelude prints nothing, regardless of the options of bash.
std::string prelude(const CommandPlan& plan);

}  // namespace band::policy
