// `band-server drain`: makes the server refuse new executions, and waits until the existing executions have finished.
// Use it before you replace the server by another one.
//
// `drain` sends SIGUSR1 to the server every second. On each SIGUSR1 the server refuses new executions for the next
// kDrainUs, and writes a list of the waiting and running executions to Paths::going_file(). On SIGUSR2 the server
// accepts new executions again. If `drain` is killed, no further SIGUSR1 follows, so the server accepts new executions
// again after at most kDrainUs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/admin/paths.h"

namespace band::admin {

inline constexpr std::int64_t kDrainUs = 30'000'000;  // microseconds

// A waiting or running execution.
struct Going {
  std::string id, token, script;  // `token`: the token's name; `script`: "" while the execution waits for a slot
};

// Called by `band-server serve` on SIGUSR1: replaces the file Paths::going_file() (rename(2), mode 0600) by a file with
// the list `going`.
Status announce_going(const Paths& paths, const std::vector<Going>& going);

// Waits for at most `seconds` until no execution waits or runs. Reports the number of waiting and running executions to
// `progress` when this number changes. Returns an empty list when no server runs, or when no execution is left; in the
// second case the server still refuses new executions for up to kDrainUs. If executions are left after `seconds`, makes
// the server accept new executions again, and returns the executions that are left. Returns Code::ServerUnreachable
// when the server does not write the list within 5 s. Needs root.
Result<std::vector<Going>> drain(const Paths& paths, int seconds, const Progress& progress);

}  // namespace band::admin
