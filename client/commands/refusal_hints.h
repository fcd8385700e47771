// Adds hints to the error of a failed run: the lines for a BAND.md that would have allowed the refused actions. The
// ledger (the server's record of the run) shows which actions were refused. The script chose these actions, so a person
// must check a line before adding it to a BAND.md.
#pragma once

#include "client/commands/run_plan.h"
#include "schemas/wire/wire.h"

namespace band::client {

// If the code of the answer's error is ScriptFailed or PermissionDenied, adds to the error's hint at most three lines
// (lines_to_write.h) that would allow refused commands and hosts. Otherwise does nothing.
void add_refusal_hints(const RunPlan& plan, Answer& answer);

}  // namespace band::client
