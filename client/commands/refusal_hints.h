// Adds hints to the error of a failed run: the lines for a BAND.md that would have allowed actions which the ledger
// shows as refused. The script chose these actions, so a person must read a line before it is written.
#pragma once

#include "client/commands/run_plan.h"
#include "schemas/wire/wire.h"

namespace band::client {

// If the error is ScriptFailed or PermissionDenied, adds at most three lines (lines_to_write.h) for refused commands
// and hosts to its hint.
void add_refusal_hints(const RunPlan& plan, Answer& answer);

}  // namespace band::client
