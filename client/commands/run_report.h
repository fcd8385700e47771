// The messages of `band run` about a run: files that were not shipped or not written back, logs, --explain.
#pragma once

#include <optional>

#include "client/commands/run_plan.h"
#include "client/terminal/terminal.h"
#include "client/workspace/opening.h"
#include "client/workspace/workspace.h"
#include "schemas/core/json_value.h"
#include "schemas/wire/wire.h"

namespace band::client {

// The whole result of a run, for --json and for the notes.
struct RunOutcome {
  const RunPlan& plan;
  const Shipment& shipment;
  const Answer& answer;
  const std::optional<WriteBack>& back;  // nullopt: nothing was written into the workspace
  const std::optional<WriteBack>& kept;  // what --keep-partial wrote after a failed run
};

// Returns the server's answer without the content of files, and with what the client did with each file and which files
// of the workspace were not shipped.
JsonValue outcome_to_json(const RunOutcome& outcome);

// Called before the script starts. Notes the files that allow.read names and that are not shipped, and those that could
// not be written back.
void note_shipment(const RunPlan& plan, const Shipment& shipment, Terminal& terminal);
// For a shell without --write-back: notes that its changed files are discarded.
void note_dropped(const RunOutcome& outcome, Terminal& terminal);
// Returns why a path of Answer::not_written is not written back, to follow "changed in the sandbox, but ".
std::string why_not_written(const Opening& write, const std::string& path);
// For a successful run: the files written, changed, removed and renamed, and the size of the logs.
void note_changes(const RunOutcome& outcome, Terminal& terminal);
void note_logs(const RunOutcome& outcome, Terminal& terminal);
// For a failed run: the result of --keep-partial, and the ends of its logs. With --verbose the end of a log is shown
// only if the log was truncated, because the rest was printed while the script ran.
void note_kept(const RunOutcome& outcome, Terminal& terminal);
void show_logs(const RunOutcome& outcome, Terminal& terminal);
// --explain
void explain(const RunOutcome& outcome, Terminal& terminal);

}  // namespace band::client
