// Turns the evidence of an execution into data or an error for the caller. Pure, except for reading the two result
// files.
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
  const std::set<std::string>& at_ceiling;  // names of the limits that a band cannot raise further
  bool out_of_memory = false;
  bool out_of_processes = false;                 // the kernel refused a process because of limit.maxProcesses
  int out_directory = -1;                        // directory of output.json and error.json; not owned
  std::optional<ledger::Ledger::Denied> denied;  // the first denied command or host, or refused packets
  std::string write_only;                        // a path of the machine that is opened for writing only, or ""
  view::Room room = view::Room::Left;            // in the workspace and /tmp
  std::optional<std::string> failed_connection;  // the first allowed connection that failed
};

// Returns the error for more files or bytes than one answer carries, with the limit and a hint. `bytes` and `files`:
// what the script wrote.
Error too_much_written(const std::set<std::string>& at_ceiling, const EffectiveLimits& limits, std::int64_t bytes,
                       std::int64_t files);

// Sets data or error, and exit_status.
void judge(const Evidence& evidence, const EffectiveLimits& limits, Answer& answer);

}  // namespace band::run
