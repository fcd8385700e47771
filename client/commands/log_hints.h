// Adds hints to the error of a failed script, from the script's log. A hint states what the band allows and which files
// exist. It may also contain the line that would allow a file or program (lines_to_write.h). The script writes the log
// and can name anything in it. Therefore a person must check such a line before adding it to a BAND.md.
#pragma once

#include <functional>
#include <string>

#include "client/commands/run_plan.h"
#include "schemas/wire/wire.h"

namespace band::client {

// Adds a text to the error's hint for each of the following that the log reports as missing: a file that exists in the
// workspace and that the band does not allow; a file of the workspace that the script names by its path on the caller's
// machine; a git repository, if `.git` is in the workspace and no rule names it (wildcards do not match `.git`); a
// program that the band does not declare; a declared program that the script starts by a path and not by its name. If
// the answer has no error, does nothing.
//
// If the band allows no file of the workspace, the plan has no workspace. In this case add_log_hints() searches files
// in the directory that `open_here` opens. `open_here` may be empty; it is called only when the log names a missing
// file.
using OpenHere = std::function<Result<Tree>()>;
void add_log_hints(const RunPlan& plan, Answer& answer, const OpenHere& open_here = nullptr);

}  // namespace band::client
