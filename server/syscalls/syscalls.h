// Restricts the system calls of the sandbox to a list: seccomp(2).
//
// Promises: calls that are not on the list fail with ENOSYS, or with EPERM if programs expect "not permitted". The list
// contains no call for namespaces, mounts, ptrace, process_vm, pidfd_getfd, kcmp, bpf, perf, keyrings, io_uring,
// userfaultfd, kernel modules or kexec. clone3 fails with ENOSYS, because glibc then uses clone. (After EPERM, glibc
// could not start threads.) Sockets can be AF_UNIX, or AF_INET and AF_INET6 with TCP or UDP. memfd_create is allowed
// only with MFD_NOEXEC_SEAL. Setuid and setgid bits cannot be set. The ioctls TIOCSTI, TIOCLINUX and TIOCSETD are
// refused, also if the upper half of the register with the ioctl's number is not zero (the kernel ignores this half). A
// process can change limits, scheduling and priority of itself, but not of another process. SO_LINGER is refused. A
// system call of another ABI kills the process. A watcher (pid 1 of a script view while the script runs) may make only
// the calls in kWatcher of list.h.
// Does not cover: the files and addresses that the allowed calls reach; setting the CPU affinity of other processes of
// the same uid.
#pragma once

#include <string>

#include "schemas/core/result.h"

namespace band::syscalls {

// Classic BPF programs, as arrays of struct sock_filter. load() loads two of them, `list` and `arguments`; the kernel
// runs both and applies the stricter result. `list` decides which calls are possible; `arguments` refuses some calls
// because of their arguments. (One libseccomp filter cannot allow a call and also refuse this call for certain bits of
// an argument.)
struct Filter {
  std::string list, arguments;
  // For a process that only reads, writes, waits and exits. Loading `watcher` takes a third of the time of loading the
  // other two.
  std::string watcher;
};

// Call it once, at the start of the server: making the filter takes a millisecond, loading it takes microseconds.
Result<Filter> make_filter();

// Load the filter into the calling process, which must have no_new_privs. Each function then verifies the filter with a
// call that the filter forbids (unshare(0), which would have no effect).
Status load(const Filter& filter);
Status load_watcher(const Filter& filter);

}  // namespace band::syscalls
