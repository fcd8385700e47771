#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "server/syscalls/syscalls.h"

namespace band::syscalls {
namespace {

Status load_one(const std::string& program, const char* name) {
  if (program.empty() || program.size() % sizeof(sock_filter) != 0 ||
      program.size() / sizeof(sock_filter) > BPF_MAXINSNS)
    return layer_error("syscalls", std::string("the ") + name + " filter is not a BPF program", 0);
  sock_fprog bpf{static_cast<unsigned short>(program.size() / sizeof(sock_filter)),
                 reinterpret_cast<sock_filter*>(const_cast<char*>(program.data()))};
  // Uses prctl(2), because the filter that is loaded first forbids seccomp(2).
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &bpf, 0, 0) != 0)
    return layer_error("syscalls", std::string("cannot load the ") + name + " filter", errno);
  return done();
}

Status check() {
  if (::syscall(SYS_unshare, 0) == 0 || errno != EPERM)
    return layer_error("syscalls", "the filter is not enforced: unshare was not refused", 0);
  return done();
}

}  // namespace

Status load(const Filter& filter) {
  BAND_CHECK(load_one(filter.list, "list"));
  BAND_CHECK(load_one(filter.arguments, "argument"));  // loaded last, because it refuses the loading of further filters
  return check();
}

Status load_watcher(const Filter& filter) {
  BAND_CHECK(load_one(filter.watcher, "watcher's"));
  return check();
}

}  // namespace band::syscalls
