// Refusals in the ledger of a failed run, as lines for a BAND.md. Their text comes from the script, so a person must
// read a line before it is written.
#pragma once

#include "client/commands/run_plan.h"
#include "schemas/wire/wire.h"

namespace band::client {

// For ScriptFailed and PermissionDenied: adds to the hint at most three lines that would have allowed refused commands
// and hosts (lines_to_write.h).
void add_refusal_hints(const RunPlan& plan, Answer& answer);

}  // namespace band::client
