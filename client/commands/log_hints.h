// Adds hints to the error of a failed script, from the script's log. The script writes the log and can name anything in
// it. Therefore a hint only states what the band allows and which files exist; no hint proposes a rule on the evidence
// of the log alone.
#pragma once

#include <functional>
#include <string>

#include "client/commands/run_plan.h"
#include "schemas/wire/wire.h"

namespace band::client {

// Adds a sentence to the hint if the log reports one of these as missing: a file that exists in the workspace and that
// the band does not allow; a file of the workspace that the script names by its path on the caller's machine; a
// repository, because the rules' wildcards do not match `.git`; a program that the band does not declare; a declared
// program that the script starts by a path and not by its name. If the band allows no file of the workspace, the plan
// has no workspace. In this case add_log_hints() searches files in the directory that `open_here` opens. `open_here` is
// called only when the log names a missing file.
using OpenHere = std::function<Result<Tree>()>;
void add_log_hints(const RunPlan& plan, Answer& answer, const OpenHere& open_here = nullptr);

}  // namespace band::client
