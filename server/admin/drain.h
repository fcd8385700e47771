// `band-server drain`: makes the server refuse new executions, and waits until the existing executions have finished.
// Use it before you replace the server by another one.
//
// `drain` sends SIGUSR1 to the server every second. On each SIGUSR1 the server refuses new executions for kDrainUs from
// then on, and writes a list of the waiting and running executions to Paths::going_file(). On SIGUSR2 the server
// accepts new executions again. When `drain` is killed, the server therefore accepts new executions again after at most
// kDrainUs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/admin/paths.h"

namespace band::admin {

inline constexpr std::int64_t kDrainUs = 30'000'000;

struct Going {
  std::string id, token, script;  // `script` is empty while the execution waits
};

// Called by `band-server serve` on SIGUSR1: writes `going` to Paths::going_file() (mode 0600, replaced in one step).
Status announce_going(const Paths& paths, const std::vector<Going>& going);

// Waits for at most `seconds` until no execution waits or runs. Reports the number of waiting and running executions to
// `progress` when this number changes. Returns an empty list when no execution is left (the server then refuses new
// executions for up to kDrainUs more), or when no server runs. Otherwise makes the server accept new executions again,
// and returns the executions that are left after `seconds`. Errors: Code::ServerUnreachable when the server does not
// react within 5 s.
Result<std::vector<Going>> drain(const Paths& paths, int seconds, const Progress& progress);

}  // namespace band::admin
