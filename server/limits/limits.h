// The limits of an execution that the kernel applies to each process: rlimits, see setrlimit(2).
//
// Promises: no core dumps, no more processes and threads of the slot's uid than a few above maxProcesses, no more
// descriptors per process than maxOpenFiles, no file larger than maxDiskBytes, no real-time priority, no locked memory.
// Does not cover: maxProcesses itself (the pids cgroup, server/slot), memory in total (the memory cgroup, server/slot),
// disk in total (the work tmpfs, server/view), time (server/execution).
#pragma once

#include <cstdint>
#include <vector>

#include "schemas/core/result.h"
#include "schemas/rules/rules.h"

namespace band::limits {

struct Rlimit {
  std::uint32_t resource = 0;  // RLIMIT_*
  std::uint64_t value = 0;     // soft and hard limit; units of setrlimit(2)
};
using Rlimits = std::vector<Rlimit>;

Rlimits rlimits_of(const EffectiveLimits& limits);

// Sets each limit and reads it back. Keeps a hard limit that is already lower, because a lower limit is safe.
Status apply(const Rlimits& limits);

}  // namespace band::limits
