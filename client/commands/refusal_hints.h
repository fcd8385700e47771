// What the ledger of a failed run says was refused, as lines of BAND.md. The script has chosen the words: somebody has
// to read a line before it is written.
#pragma once

#include "client/commands/run_plan.h"
#include "schemas/wire/wire.h"

namespace band::client {

// To the hint of a run that failed by itself or by a refusal the lines are added that would have opened refused
// commands and hosts (lines_to_write.h), at most three.
void add_refusal_hints(const RunPlan& plan, Answer& answer);

}  // namespace band::client
