#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "server/syscalls/bpf.h"
#include "server/syscalls/syscalls.h"

namespace band::syscalls {
namespace {

Status load_one(const std::string& program, const char* name) {
  return load_bpf(program, "syscalls", std::string("the ") + name + " filter");
}

// Without the filter, the first call fails with EINVAL (an unknown flag), and the second with EFAULT (no program).
Status check_setup() {
  if (::syscall(SYS_process_vm_readv, 0, nullptr, 0, nullptr, 0, 1) == 0 || errno != EPERM)
    return layer_error("syscalls", "the filter is not enforced: the system call process_vm_readv was not refused", 0);
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, nullptr, 0, 0) == 0 || errno != EPERM)
    return layer_error("syscalls", "the filter is not enforced: the system call prctl(PR_SET_SECCOMP) was not refused",
                       0);
  return done();
}

Status check() {
  BAND_CHECK(check_setup());  // otherwise a script could run with only the filter that is loaded last
  if (::syscall(SYS_unshare, 0) == 0 || errno != EPERM)
    return layer_error("syscalls", "the filter is not enforced: the system call unshare was not refused", 0);
  return done();
}

}  // namespace

Status load_bpf(const std::string& program, const std::string& layer, const std::string& what) {
  if (program.empty() || program.size() % sizeof(sock_filter) != 0 ||
      program.size() / sizeof(sock_filter) > BPF_MAXINSNS)
    return layer_error(layer, what + " is not a BPF program", 0);
  sock_fprog bpf{static_cast<unsigned short>(program.size() / sizeof(sock_filter)),
                 reinterpret_cast<sock_filter*>(const_cast<char*>(program.data()))};
  // Uses seccomp(2), because the argument filter refuses prctl(PR_SET_SECCOMP).
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &bpf) != 0)
    return layer_error(layer, "cannot load " + what, errno);
  return done();
}

Status load_for_setup(const Filter& filter) {
  BAND_CHECK(load_one(filter.list, "list"));
  BAND_CHECK(load_one(filter.arguments, "argument"));
  return check_setup();
}

Status load_for_script(const Filter& filter) {
  BAND_CHECK(load_one(filter.after_setup, "set-up"));
  return check();
}

Status load_for_watcher(const Filter& filter) {
  BAND_CHECK(load_one(filter.watcher, "watcher's"));
  return check();
}

}  // namespace band::syscalls
