// The output of `band learn`, which runs a script several times and proposes lines for its BAND.md. Before each run, it
// shows what the rules of the run allow; after the run, the result of the run; after all runs, the proposed lines
// (client/learn/lines.h).
#pragma once

#include <string>
#include <vector>

#include "client/commands/run_plan.h"
#include "client/learn/evidence.h"
#include "client/learn/lines.h"
#include "schemas/core/json_fwd.h"
#include "schemas/wire/wire.h"

namespace band::client {

// One run of the script: what the rules of the run allow, and the result of the run.
struct LearnRun {
  int number = 0;
  std::size_t input = 0;              // index of the input, from 0 (in messages the first input has number 1)
  std::string input_text;             // as JSON
  std::vector<std::string> opened;    // a result of opened_lines()
  std::vector<learn::Watch> watched;  // rules that `band learn` added to get more evidence
  bool is_whole = false;              // the run has exactly the rules of the BAND.md with the proposed changes
  std::vector<std::string> insists;   // if is_whole: the proposed lines of `insist`
  std::optional<Error> error;         // nullopt: success
  // The insists that `band learn` added to get evidence and that were not met. Empty unless they are the only cause of
  // `error`.
  std::vector<std::string> unseen;
  std::string stderr_end;  // the last lines of stderr of a failed run
  std::vector<LedgerEntry> ledger;
  std::vector<std::string> outside;  // changes outside the sandbox that the run made or may have made
};

// The result of all runs.
struct LearnResult {
  std::string script, skill_directory;
  // `file`: the name in Rule::origin of the BAND.md to which the lines are added. `path`: the path of this file; "" if
  // `diff` is empty.
  std::string file, path;
  bool is_new = false;               // this BAND.md does not exist yet
  std::string governing;             // the BAND.md that now applies to the script
  std::vector<std::string> sharers;  // other scripts to which `governing` applies (sharers_of())
  std::size_t inputs = 0;
  std::vector<LearnRun> runs;
  learn::Proposal proposal;
  std::string diff;
  std::optional<Error> not_edited;  // why the BAND.md cannot be edited; `diff` is then empty
  std::string stopped;              // why `band learn` stopped although a further run was needed; "" if none was needed
  // The first input that had no successful run with the proposed lines, and why; "" if there is no such input.
  std::string unfinished;
  bool pending = false;     // the most recent run changed the proposal, and no run has tested the new proposal
  bool settled = false;     // each input had a successful run with the proposed lines; not certain with `not_edited`
  bool applied = false;     // --apply has written the file
  std::string not_applied;  // why --apply has written nothing, and what to do; "" without --apply, or if it has written
};

// Returns one line for each rule of allow and insist, and for each variable: `read "./x"  (tool/BAND.md:5)`. A rule
// with a placeholder (`{path}`) stands for the files that a property of the input names; for such a rule, returns one
// line for each of these files: `read "{path}" = "./x"  (tool/BAND.md:5)`.
std::vector<std::string> opened_lines(const Rules& rules, const Json& input);
// Returns the text for stderr before a run. `before`: the earlier runs. The text has
// - the lines of LearnRun::opened that the previous run did not have, and those that only the previous run had;
// - the lines of LearnRun::insists;
// - the rules of LearnRun::watched that no earlier run had;
// - before the first run, a note that each run has real effects.
std::string announcement(const LearnRun& run, std::size_t inputs, const std::vector<LearnRun>& before);
// Returns the text for stderr after a run.
std::string account_of(const LearnRun& run);

// Returns why --apply must not write the result of these runs, and what to do. Call it only if the result must not be
// written.
std::string not_applied_text(const LearnResult& result);

// Return the result as the text and as the JSON text that `band learn` prints at the end. `writes`: true when the
// caller will write the file after printing the text.
std::string learn_to_text(const LearnResult& result, bool writes);
std::string learn_to_json(const LearnResult& result);

}  // namespace band::client
