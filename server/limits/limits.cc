#include "server/limits/limits.h"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>

namespace band::limits {
namespace {

constexpr std::uint64_t kBehindGroup = 16;  // more than the number of band's own processes per execution

}  // namespace

Rlimits rlimits_of(const EffectiveLimits& limits) {
  return {
      // 1 and not 0: with both values the kernel writes no core file, but with 0 it can still pipe the core to a
      // program of the machine (core(5), "Piping core dumps to a program").
      {RLIMIT_CORE, 1},
      // The kernel counts processes per uid, and a slot's uid runs only the slot's execution. The slot's control group
      // (server/slot) enforces maxProcesses and reports when this limit was reached. The value here is a little higher,
      // so that the limit of the control group is reached first.
      {RLIMIT_NPROC, static_cast<std::uint64_t>(limits.maxProcesses) + kBehindGroup},
      {RLIMIT_NOFILE, static_cast<std::uint64_t>(limits.maxOpenFiles)},
      // Limits sparse files, too: they use no memory of the tmpfs, but cost the processes that read them time and
      // memory.
      {RLIMIT_FSIZE, static_cast<std::uint64_t>(limits.maxDiskBytes)},
      {RLIMIT_MEMLOCK, 0},
      {RLIMIT_RTPRIO, 0},
      {RLIMIT_NICE, 0},
      // None of the limits above counts POSIX message queues.
      {RLIMIT_MSGQUEUE, 0},
      {RLIMIT_SIGPENDING, 4096},
  };
}

Status apply(const Rlimits& limits) {
  for (const Rlimit& limit : limits) {
    const auto resource = static_cast<__rlimit_resource>(limit.resource);
    rlimit current{};
    if (::getrlimit(resource, &current) != 0) return layer_error("limits", "getrlimit", errno);
    const rlim_t value = std::min<rlim_t>(limit.value, current.rlim_max);
    const rlimit wanted{value, value};
    if (::setrlimit(resource, &wanted) != 0)
      return layer_error("limits", "setrlimit " + std::to_string(limit.resource), errno);
    if (::getrlimit(resource, &current) != 0 || current.rlim_cur != value || current.rlim_max != value)
      return layer_error("limits", "rlimit " + std::to_string(limit.resource) + " does not have the value that was set",
                         0);
  }
  return done();
}

}  // namespace band::limits
