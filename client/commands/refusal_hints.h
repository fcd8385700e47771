// Adds hints to the error of a failed run: the lines for a BAND.md that would have allowed actions which the ledger
// shows as refused. The script chose these actions, so a person must check a line before adding it to a BAND.md.
#pragma once

#include "client/commands/run_plan.h"
#include "schemas/wire/wire.h"

namespace band::client {

// If the code of the answer's error is ScriptFailed or PermissionDenied, adds to the error's hint at most three lines
// (lines_to_write.h) that would allow commands and hosts which the ledger shows as refused.
void add_refusal_hints(const RunPlan& plan, Answer& answer);

}  // namespace band::client
