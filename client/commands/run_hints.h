// Adds hints to the error of a failed run (client/hints).
#pragma once

#include <vector>

#include "client/commands/run_plan.h"
#include "client/hints/failure.h"
#include "client/terminal/terminal.h"
#include "client/workspace/workspace.h"
#include "schemas/wire/wire.h"

namespace band::client {

// Returns a hint in which "raise limit.NAME in the band" (or "in BAND.md"), as the server and the rooms of the client
// write it, is replaced by what the reader can write: the flag of `band exec`, or the line of `file`. The proposed
// value is larger than that of `limits`.
std::string with_limit_line(std::string hint, Reader reader, const std::string& file, const EffectiveLimits& limits);

// Prints the message of a run's error, and each line of its hint as a hint.
void print_run_error(Terminal& terminal, const Error& error);

// For a run that may have succeeded: unsent_inputs() of client/hints.
std::vector<std::string> unsent_inputs(const RunPlan& plan, const Shipment& shipment, const Answer& answer);

// Sets the hint of the answer's error: one line for each hint of client/hints, the most likely first; at most
// kMostHints lines. Keeps a hint of the server or of the script as one of these lines; a hint that the server has
// derived only from the exit status, the log or a refusal is kept only if client/hints has none. If the message has
// `[masked]`, adds a line that names the variables whose values the server masks. If the answer has no error, does
// nothing. `shipment`: its files may have been moved away.
void add_hints(const RunPlan& plan, const Shipment& shipment, Answer& answer);

}  // namespace band::client
