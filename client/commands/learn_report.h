// The output of `band learn`: before each run its permissions, after it its result, and in the end the lines.
#pragma once

#include <string>
#include <vector>

#include "client/commands/run_plan.h"
#include "client/learn/evidence.h"
#include "client/learn/lines.h"
#include "schemas/core/json_fwd.h"
#include "schemas/wire/wire.h"

namespace band::client {

// One run: its announced permissions and its result.
struct LearnRun {
  int number = 0;
  std::size_t input = 0;
  std::string input_text;             // as JSON
  std::vector<std::string> opened;    // one line for each opening rule
  std::vector<learn::Watch> watched;  // rules that learn added to get more evidence
  bool is_whole = false;              // run with the band as it would be written
  std::vector<std::string> insists;   // insist rules that are new in that band
  std::optional<Error> error;         // nullopt: success
  std::vector<std::string> unseen;    // watched actions that did not happen, which alone caused `error`
  std::string stderr_end;             // the last lines of a failed run
  std::vector<LedgerEntry> ledger;
  std::vector<std::string> outside;  // changes outside the sandbox that it made or may have made
};

// The result of all runs.
struct LearnResult {
  std::string script, skill_directory;
  std::string file, path;            // the BAND.md for the lines: as origins name it, and its path
  bool is_new = false;               // it does not exist yet
  std::string governing;             // the BAND.md that governs the script now
  std::vector<std::string> sharers;  // other scripts that `governing` governs (sharers_of)
  std::size_t inputs = 0;
  std::vector<LearnRun> runs;
  learn::Proposal proposal;
  std::string diff;
  std::optional<Error> not_edited;  // why there is no diff
  std::string stopped;              // why no further run was made; "" when none was needed
  std::string unfinished;           // the input without a successful run with these lines, and why; "" for none
  bool pending = false;             // the last run changed the proposal
  bool settled = false, applied = false;
  std::string not_applied;  // why --apply wrote nothing, and what to do; "" without --apply, or when it wrote
};

// Returns one line for each opening rule and each variable: `read "./x"  (tool/BAND.md:5)`. A placeholder has one line
// for each file that this input names: `read "{path}" = "./x"  (tool/BAND.md:5)`.
std::vector<std::string> opened_lines(const Rules& rules, const Json& input);
// The text for stderr before a run. `before`: the earlier runs. Rules that the last of them opened, and actions that
// any of them watched, are not listed again. The note that is valid for every run is printed before the first one only.
std::string announcement(const LearnRun& run, std::size_t inputs, const std::vector<LearnRun>& before);
// The text for stderr after the run.
std::string account_of(const LearnRun& run);

// Why --apply must not write the result of these runs, and what to do.
std::string not_applied_text(const LearnResult& result);

// `writes`: true when the caller writes the lines next.
std::string learn_to_text(const LearnResult& result, bool writes);
std::string learn_to_json(const LearnResult& result);

}  // namespace band::client
