// The limits of an execution that the kernel enforces for each process (rlimits, see setrlimit(2)).
//
// Promises: no core dumps; for the uid of the slot (the place for one execution at a time) at most maxProcesses + 16
// processes and threads together; at most maxOpenFiles descriptors per process; no file larger than maxDiskBytes; no
// real-time priority; no locked memory.
// Does not cover: maxProcesses itself (the pids cgroup, server/slot, enforces it), the total of memory (the memory
// cgroup, server/slot), the total of disk space (the tmpfs of the workspace, server/view), time (server/execution).
#pragma once

#include <cstdint>
#include <vector>

#include "schemas/core/result.h"
#include "schemas/rules/rules.h"

namespace band::limits {

struct Rlimit {
  std::uint32_t resource = 0;  // RLIMIT_*
  std::uint64_t value = 0;     // for the soft and the hard limit; in the unit of setrlimit(2)
};
using Rlimits = std::vector<Rlimit>;

Rlimits rlimits_of(const EffectiveLimits& limits);

// Sets each limit for the calling process and reads it back. If a hard limit is already lower than the value, both
// limits get the lower value, because a lower limit is safe.
Status apply(const Rlimits& limits);

}  // namespace band::limits
