// `band-server drain`: the server accepts no executions while the existing ones finish. For operators who are about to
// replace the server by another.
//
// Each SIGUSR1 makes the server refuse executions for kDrainUs and write the waiting and running ones to
// Paths::going_file(); SIGUSR2 makes it accept executions again. A drain that is killed therefore ends after kDrainUs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/admin/paths.h"

namespace band::admin {

inline constexpr std::int64_t kDrainUs = 30'000'000;

struct Going {
  std::string id, token, script;  // `script` is empty while it waits
};

// For `band-server serve`, on SIGUSR1: replaces the file in one step, 0600.
Status announce_going(const Paths& paths, const std::vector<Going>& going);

// Waits until no execution waits or runs, for at most `seconds`; reports their number when it changes. Returns an empty
// list when none is left (the server then accepts nothing for kDrainUs more) or when no server runs. Otherwise returns
// those that are left, and the server accepts executions again. Errors: Code::ServerUnreachable when the server does
// not react within 5 s.
Result<std::vector<Going>> drain(const Paths& paths, int seconds, const Progress& progress);

}  // namespace band::admin
