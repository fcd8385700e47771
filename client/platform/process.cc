#include "client/platform/process.h"

#ifdef __APPLE__
#include <mach-o/dyld.h>

#include <climits>
#include <cstdint>
#else
#include <sys/prctl.h>
#endif

namespace band::client {

#ifdef __APPLE__

std::string executable_path() {
  char buffer[PATH_MAX];
  std::uint32_t size = sizeof buffer;
  return _NSGetExecutablePath(buffer, &size) == 0 ? buffer : "";
}

int close_memory_to_user() { return 0; }

#else

std::string executable_path() { return "/proc/self/exe"; }

int close_memory_to_user() { return ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

#endif

}  // namespace band::client
