// Hints from the log of a failed script. The script writes the log and can name anything in it, so a hint states only
// what the band opens and where files are.
#pragma once

#include <functional>
#include <string>

#include "client/commands/run_plan.h"
#include "schemas/wire/wire.h"

namespace band::client {

// Adds to the error's hint, for what the log reports as missing: paths that exist in the workspace and are not opened,
// or that the script names by their path on the caller's machine; a `.git` that wildcards do not match; programs that
// the band does not declare, or that the script starts by a path instead of the name. A plan whose band opens no file
// of the workspace has no workspace; then files of the directory that `open_here` opens are named. `open_here` is
// called only when the log names a missing file.
using OpenHere = std::function<Result<Tree>()>;
void add_log_hints(const RunPlan& plan, Answer& answer, const OpenHere& open_here = nullptr);

}  // namespace band::client
