// What `band run` says of a run beside its result: files that did not travel, what became of the others, logs, causes.
#pragma once

#include <optional>

#include "client/commands/run_plan.h"
#include "client/terminal/terminal.h"
#include "client/workspace/opening.h"
#include "client/workspace/workspace.h"
#include "schemas/core/json_value.h"
#include "schemas/wire/wire.h"

namespace band::client {

// Everything that a run came to, for --json and for the notes.
struct RunOutcome {
  const RunPlan& plan;
  const Shipment& shipment;
  const Answer& answer;
  const std::optional<WriteBack>& back;  // nullopt: nothing was written into the workspace
  const std::optional<WriteBack>& kept;  // of a run that failed: what --keep-partial wrote elsewhere
};

// The wire's answer without the files' bytes; with what happened to the files on this side, and what of the workspace
// did not travel.
JsonValue outcome_to_json(const RunOutcome& outcome);

// Before the script starts: what allow.read names and does not travel, and what could not be written back.
void note_shipment(const RunPlan& plan, const Shipment& shipment, Terminal& terminal);
// Of a shell whose files stay in the sandbox.
void note_dropped(const RunOutcome& outcome, Terminal& terminal);
// Why a path of Answer::not_written stays in the sandbox, after "changed in the sandbox, but ".
std::string why_not_written(const Opening& write, const std::string& path);
// Of a run that went well.
void note_changes(const RunOutcome& outcome, Terminal& terminal);
void note_logs(const RunOutcome& outcome, Terminal& terminal);
// Of a run that failed: what --keep-partial came to, and the ends of its logs. With --verbose only of a log that was
// too long to be shown as it came.
void note_kept(const RunOutcome& outcome, Terminal& terminal);
void show_logs(const RunOutcome& outcome, Terminal& terminal);
// --explain
void explain(const RunOutcome& outcome, Terminal& terminal);

}  // namespace band::client
