// `band-server drain`: the server accepts no executions while those that it has come to their end. For who is about to
// put another server in its place.
//
// Each SIGUSR1 makes the server refuse executions for kDrainUs and write into Paths::going_file() what waits and runs;
// SIGUSR2 makes it accept them again. So a drain that is killed ends by itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/admin/paths.h"

namespace band::admin {

inline constexpr std::int64_t kDrainUs = 30'000'000;

struct Going {
  std::string id, token, script;  // `script` is empty for one that waits
};

// For `band-server serve`, on SIGUSR1: replaces the file whole, 0600.
Status announce_going(const Paths& paths, const std::vector<Going>& going);

// Waits until nothing waits or runs, for `seconds` at most; says how many there are when that changes. Empty: the
// server accepts nothing for kDrainUs more, or there is none. Otherwise these are left, and the server accepts
// executions again. Errors: Code::ServerUnreachable when the server does not react within 5 s.
Result<std::vector<Going>> drain(const Paths& paths, int seconds, const Progress& progress);

}  // namespace band::admin
