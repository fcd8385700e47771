// From what happened to what the caller is told. Pure but for reading the two result files.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "schemas/wire/wire.h"
#include "server/evidence/ending.h"
#include "server/ledger/ledger.h"
#include "server/policy/plan.h"
#include "server/view/workspace.h"

namespace band::run {

struct Evidence {
  Ending ending;
  const std::set<std::string>& at_ceiling;  // names of limits that a band cannot raise
  bool out_of_memory = false;
  bool out_of_processes = false;                 // the kernel refused one for limit.maxProcesses
  int out_directory = -1;                        // where output.json and error.json are
  std::optional<ledger::Ledger::Denied> denied;  // the first command or host that was, or packets
  std::string write_only;                        // a path of the machine that can be written and not read, or empty
  view::Room room = view::Room::Left;            // of the workspace and /tmp
  std::optional<std::string> failed_connection;  // the first that was allowed
};

// More than comes back in one answer: which limit it is, and what to do. `bytes` and `files` are what there is.
Error too_much_written(const std::set<std::string>& at_ceiling, const EffectiveLimits& limits, std::int64_t bytes,
                       std::int64_t files);

// Fills data or error, and exit_status.
void judge(const Evidence& evidence, const EffectiveLimits& limits, Answer& answer);

}  // namespace band::run
