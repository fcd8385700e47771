// Which system calls the sandbox may make: seccomp(2), by list.
//
// Promises: what is not on the list answers ENOSYS, or EPERM where a program would rather hear "not permitted"; no
// namespace, mount, ptrace, process_vm, pidfd_getfd, kcmp, bpf, perf, keyring, io_uring, userfaultfd, module or kexec
// call; clone3 is ENOSYS (EPERM would break glibc's threads); sockets are AF_UNIX, or AF_INET and AF_INET6 with TCP or
// UDP; memfd_create only sealed against execution; no setuid or setgid bit is set; TIOCSTI, TIOCLINUX and TIOCSETD are
// refused whatever the upper half of the register says; limits, scheduling and priority are changed of oneself only;
// SO_LINGER is refused; foreign ABIs are killed. A watcher may call what kWatcher of list.h names, and nothing else.
// Does not cover: which files and addresses the allowed calls reach; on which processors others of the same uid run.
#pragma once

#include <string>

#include "schemas/core/result.h"

namespace band::syscalls {

// Two classic BPF programs, as arrays of struct sock_filter. The kernel runs both and takes the stricter answer: the
// list says which calls exist, the arguments say how some of them may not be called. (One libseccomp filter cannot
// both allow a call and refuse some of its arguments under a mask.)
struct Filter {
  std::string list, arguments;
  std::string
      watcher;  // of a process that only reads, writes, waits and exits; the kernel takes it in a third of the time
};

// Made once at the start of the server: libseccomp takes a millisecond, loading takes microseconds.
Result<Filter> make_filter();

// Needs no_new_privs. Verifies that the filter holds by an act that it forbids (unshare(0), harmless otherwise).
Status load(const Filter& filter);
Status load_watcher(const Filter& filter);

}  // namespace band::syscalls
