// What the log of a failed script lets band say of the cause. The log is the script's: it can name what it never asked
// for, so a hint says what the band opens, and where things are.
#pragma once

#include <functional>
#include <string>

#include "client/commands/run_plan.h"
#include "schemas/wire/wire.h"

namespace band::client {

// Paths of the workspace that do not exist for the script: named as they are on this side, or there without being
// opened; a `.git` that wildcards leave out; programs that it cannot start, because the band does not declare them or
// because it does not call them by their name. Adds to the error's hint, where there is something to say. A band that
// opens nothing of the workspace has none in its plan: then files of the directory that `open_here` opens are named. It
// is called only where the log names what is missing.
using OpenHere = std::function<Result<Tree>()>;
void add_log_hints(const RunPlan& plan, Answer& answer, const OpenHere& open_here = nullptr);

}  // namespace band::client
