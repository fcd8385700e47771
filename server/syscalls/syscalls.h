// Restricts the system calls of the sandbox to a list: seccomp(2).
//
// Promises: calls that are not on the list fail with ENOSYS, or with EPERM if programs expect "not permitted". There is
// no namespace, mount, ptrace, process_vm, pidfd_getfd, kcmp, bpf, perf, keyring, io_uring, userfaultfd, module or
// kexec call. clone3 fails with ENOSYS (EPERM would break glibc's threads). Sockets are AF_UNIX, or AF_INET and
// AF_INET6 with TCP or UDP. memfd_create needs a seal against execution. Setuid and setgid bits cannot be set. TIOCSTI,
// TIOCLINUX and TIOCSETD are refused for any upper half of the register. A process can change limits, scheduling and
// priority only of itself. SO_LINGER is refused. A call of a foreign ABI kills the process. A watcher may call only
// kWatcher of list.h. Does not cover: the files and addresses that the allowed calls reach; the choice of processors
// (CPU affinity) for other processes of the same uid.
#pragma once

#include <string>

#include "schemas/core/result.h"

namespace band::syscalls {

// Two classic BPF programs, as arrays of struct sock_filter. The kernel runs both and applies the stricter result:
// `list` defines which calls exist, `arguments` refuses some of their arguments. (One libseccomp filter cannot both
// allow a call and refuse some of its arguments under a mask.)
struct Filter {
  std::string list, arguments;
  std::string
      watcher;  // for a process that only reads, writes, waits and exits; loads in a third of the time of the others
};

// Called once at the start of the server: libseccomp needs a millisecond, loading the result needs microseconds.
Result<Filter> make_filter();

// Both need no_new_privs. They verify the filter with a call that it forbids (unshare(0), which has no effect).
Status load(const Filter& filter);
Status load_watcher(const Filter& filter);

}  // namespace band::syscalls
