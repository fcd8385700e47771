// What `band learn` prints: before each run what it may do, after it what it did, and in the end the lines.
#pragma once

#include <string>
#include <vector>

#include "client/commands/run_plan.h"
#include "client/learn/evidence.h"
#include "client/learn/lines.h"
#include "schemas/core/json_fwd.h"
#include "schemas/wire/wire.h"

namespace band::client {

// One run, as it was shown and as it ended.
struct LearnRun {
  int number = 0;
  std::size_t input = 0;
  std::string input_text;             // as JSON
  std::vector<std::string> opened;    // every rule of it, a line each
  std::vector<learn::Watch> watched;  // what learn added to see more
  bool is_whole = false;              // with the band as it would be written
  std::vector<std::string> insists;   // what that insists on, and the band did not
  std::optional<Error> error;         // nothing: it went well
  std::vector<std::string> unseen;    // what learn watched for alone, and did not happen: error is of that
  std::string stderr_end;             // of a run that failed: its last lines
  std::vector<LedgerEntry> ledger;
  std::vector<std::string> outside;  // what it changed, or may have changed, beyond the sandbox
};

// How it all ended.
struct LearnResult {
  std::string script, skill_directory;
  std::string file, path;            // the BAND.md: as origins name it, and where it lies
  bool is_new = false;               // it is not there yet
  std::string governing;             // the BAND.md that governs the script until then
  std::vector<std::string> sharers;  // other scripts that this one governs (sharers_of)
  std::size_t inputs = 0;
  std::vector<LearnRun> runs;
  learn::Proposal proposal;
  std::string diff;
  std::optional<Error> not_edited;  // why there is no diff
  std::string stopped;              // why there was no further run; "" when there was no need of one
  std::string unfinished;           // the input that no run showed to work with these lines, and why; "" for none
  bool pending = false;             // the last run changed what is proposed
  bool settled = false, applied = false;
  std::string not_applied;  // why --apply wrote nothing, and what to do; "" when it was not given, or wrote
};

// `read "./x"  (tool/BAND.md:5)`: a line for each rule that opens something, and for each variable. A placeholder has a
// line for each file that this input names: `read "{path}" = "./x"  (tool/BAND.md:5)`.
std::vector<std::string> opened_lines(const Rules& rules, const Json& input);
// Before the run, for stderr. `before`: the runs before it. What the last of them opened, and what any of them watched,
// is not listed again, and what holds for every run is said before the first one.
std::string announcement(const LearnRun& run, std::size_t inputs, const std::vector<LearnRun>& before);
// After it.
std::string account_of(const LearnRun& run);

// Why --apply must not write what these runs came to, and what to do.
std::string not_applied_text(const LearnResult& result);

// `writes`: the lines are written next.
std::string learn_to_text(const LearnResult& result, bool writes);
std::string learn_to_json(const LearnResult& result);

}  // namespace band::client
