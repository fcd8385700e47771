// User ids for the slots of a test. Tests run concurrently with each other and with a server, and two servers of a
// machine must not share user ids (server/slot/server_groups.h).
#pragma once

#include <sys/types.h>
#include <unistd.h>

namespace band::test {

inline constexpr uid_t kUserIdsOfAProcess = 16;

// Returns the first of kUserIdsOfAProcess user ids that only this process uses: process ids are below 2^22 (proc(5),
// pid_max), and the servers of other tests have lower user ids (end_to_end/server_fixture.cc).
inline uid_t own_user_ids() {
  static const uid_t first = 1'970'000'000u + static_cast<uid_t>(::getpid()) * kUserIdsOfAProcess;
  return first;
}

}  // namespace band::test
