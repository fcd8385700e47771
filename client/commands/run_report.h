// The messages of `band run` about a run: files that were not sent or not written back, logs, and the output of
// --explain.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>

#include "client/commands/run_hints.h"
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
  RunAdvice& advice;
};

// Returns the server's answer without the content of files. Adds to each file of the answer what the client has done
// with it ("written", "unchanged", "kept" by --keep-partial, or "dropped"), and the names of the secrets whose values
// it contains. Also adds a list of the files of the workspace that were not sent, and `notes`: the messages that the
// user gets without --json.
JsonValue outcome_to_json(const RunOutcome& outcome, const std::vector<std::string>& notes);

// Prints a note for each file that a `read` rule allows and that is not sent, and one note for all names that begin
// with a dot.
void note_left_out(const std::vector<LeftOut>& left, const RunPlan& plan, Terminal& terminal);
// Called before the script starts. Prints a note for each file that a `read` rule allows and that is not sent, and for
// each `read` rule that matches no file. Prints one note about all existing files of the workspace that `write` allows
// and `read` does not allow, because a run that changes one of these files fails.
void note_shipment(const RunPlan& plan, const Shipment& shipment, Terminal& terminal);
// Prints a line for each action that was refused, and for each undeclared command: at most three lines, and the number
// of the others; if quiet, only the number. `shown_texts`: texts that the user gets otherwise, such as the message of
// the error; the actions that they name are left out. `shown_hint`: a hint that the user gets; actions are left out if
// it has their command line or host.
void note_refusals(const RunOutcome& outcome, std::initializer_list<std::string_view> shown_texts,
                   std::string_view shown_hint, Terminal& terminal);
// For `band shell` without --write-back: prints a note that the changed files are discarded.
void note_dropped(const RunOutcome& outcome, Terminal& terminal);
// Returns why a path of Answer::not_written was not written back, as the end of a sentence that begins with "changed in
// the sandbox, but ".
std::string why_not_written(const Opening& write, const std::string& path);
// Call these functions after a successful run. note_changes() prints which files were written, changed, removed and
// renamed, and, also if quiet, into which files the value of a secret was written; RunOutcome::back must be set.
// note_masked() prints where the output was masked. note_logs() prints how many lines stderr has, and how many bytes of
// stdout and stderr were not kept. With --verbose, note_logs() does what show_logs() does.
void note_changes(const RunOutcome& outcome, Terminal& terminal);
void note_masked(const Answer& answer, Terminal& terminal);
// What the script can have missed without an error (client/hints/unnoticed.h). For a failed run: together with its
// hints at most kMostHints.
void note_unnoticed(const RunOutcome& outcome, Terminal& terminal);
// Prints the number of changes in the sandbox that the workspace does not get, also if quiet; then, unless quiet, what
// to write so that the next run writes them back. The last messages of a run.
void count_not_written(const RunOutcome& outcome, Terminal& terminal);
void note_logs(const RunOutcome& outcome, Terminal& terminal);
// If `read` has rules for the workspace and none of them matched a file, prints a line that states this, also if quiet:
// the script can have succeeded with an empty result.
void note_nothing_sent(const RunOutcome& outcome, Terminal& terminal);
// Call these two functions after a failed run. note_kept() prints the result of --keep-partial; call it only if this
// flag is given. show_logs() prints the ends of the logs. With --verbose, logs are already printed while the script
// runs; show_logs() then prints only the ends of logs that were truncated.
void note_kept(const RunOutcome& outcome, Terminal& terminal);
void show_logs(const RunOutcome& outcome, Terminal& terminal);
// Returns the exit status with which a shell reports that it cannot start this command: 127 if the server's machine
// does not have its program, 126 if it has a file that cannot be executed in a sandbox; nullopt if `error`, the error
// of a run, has another cause.
std::optional<int> status_of_unstarted(const Error& error, const std::string& command);
// Prints the output of --explain.
void explain(const RunOutcome& outcome, Terminal& terminal);

}  // namespace band::client
