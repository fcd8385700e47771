// What bash reads first in the script view, through BASH_ENV. Pure.
#pragma once

#include <string>

#include "schemas/commands/plan.h"

namespace band::policy {

// Builtins of `plan` give way to their shims, and what is not found is asked for at the broker, so that the ledger
// knows. Prints nothing, whatever options bash has.
std::string prelude(const CommandPlan& plan);

}  // namespace band::policy
