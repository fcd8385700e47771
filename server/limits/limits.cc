#include "server/limits/limits.h"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>

namespace band::limits {
namespace {

constexpr std::uint64_t kBehindGroup = 16;  // more than the server's own processes beside a script and its commands

}  // namespace

Rlimits rlimits_of(const EffectiveLimits& limits) {
  return {
      // 1, not 0: a byte writes no file either, and it alone keeps the kernel from piping a core to a program of the
      // machine (core(5), "Piping core dumps to a program").
      {RLIMIT_CORE, 1},
      // Counted by uid, and a slot's uid runs nothing else. The wall is the control group of the slot (server/slot),
      // which also says that it was met; this one behind it is a little higher, so that it is never met before.
      {RLIMIT_NPROC, static_cast<std::uint64_t>(limits.maxProcesses) + kBehindGroup},
      {RLIMIT_NOFILE, static_cast<std::uint64_t>(limits.maxOpenFiles)},
      // A sparse file costs the tmpfs nothing, but would cost whoever reads it.
      {RLIMIT_FSIZE, static_cast<std::uint64_t>(limits.maxDiskBytes)},
      {RLIMIT_MEMLOCK, 0},
      {RLIMIT_RTPRIO, 0},
      {RLIMIT_NICE, 0},
      // POSIX message queues live outside every limit above.
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
      return layer_error("limits", "rlimit " + std::to_string(limit.resource) + " did not hold", 0);
  }
  return done();
}

}  // namespace band::limits
