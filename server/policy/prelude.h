// The prelude: a file with bash code that each bash of the script view reads before its script (BASH_ENV). Pure.
#pragma once

#include <string>

#include "schemas/commands/plan.h"

namespace band::policy {

// Returns the text of the prelude. The prelude disables the bash builtins in CommandPlan::builtins, so that bash starts
// the shim of the same name instead. (A shim is a program that sends its command line to the broker, which compares it
// with the rules.) If bash does not find a command, the prelude reports the command's name and arguments to the broker,
// for the ledger. The prelude prints nothing, regardless of the options of bash.
std::string prelude(const CommandPlan& plan);

}  // namespace band::policy
