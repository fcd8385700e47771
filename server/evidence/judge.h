// Decides from the evidence of an execution whether the caller gets data or an error. Pure, except that judge() reads
// the two result files of the script (output.json, error.json).
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "schemas/wire/wire.h"
#include "server/evidence/ending.h"
#include "server/ledger/ledger.h"
#include "server/policy/plan.h"
#include "server/view/workspace.h"

namespace band::run {

struct Evidence {
  Ending ending;
  // Names of the limits that have the value of the operator's ceiling in server.yaml: a band cannot raise them.
  const std::set<std::string>& at_ceiling;
  bool out_of_memory = false;
  bool out_of_processes = false;               // the kernel refused a process because of limit.maxProcesses
  int out_directory = -1;                      // directory of output.json and error.json; not owned
  std::vector<ledger::Ledger::Denied> denied;  // the first denied commands and hosts, and refused packets
  // A path of the machine that the script may write but not read, or "". If the script fails with "Permission denied",
  // the error has a hint that names this path.
  std::string write_only;
  view::Room room = view::Room::Left;            // whether the workspace and /tmp are full
  std::optional<std::string> failed_connection;  // the first allowed connection that failed
};

// Returns the error for a script that wrote more bytes or files to the workspace than an answer may carry or than the
// execution's limits permit. The error names the limit and has a hint. `at_ceiling`: as in Evidence. `bytes` and
// `files`: the total size and the number of the files that the script wrote.
Error too_much_written(const std::set<std::string>& at_ceiling, const EffectiveLimits& limits, std::int64_t bytes,
                       std::int64_t files);

// Sets either Answer::data, to the content of output.json, or Answer::error. Sets Answer::exit_status if the script
// exited or was killed by a signal. Reads Answer::stderr_log, for hints: it must already be complete.
void judge(const Evidence& evidence, const EffectiveLimits& limits, Answer& answer);

}  // namespace band::run
