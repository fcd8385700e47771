// Restricts the system calls of the sandbox to a list: seccomp(2).
//
// Promises: calls that are not on the list fail with ENOSYS, or with EPERM if programs expect "not permitted". The list
// contains no call for namespaces, mounts, ptrace, process_vm, pidfd_getfd, kcmp, bpf, perf, keyrings, io_uring,
// userfaultfd, kernel modules or kexec. clone3 fails with ENOSYS, because glibc then uses clone. (After EPERM, glibc
// could not start threads.) Sockets can be AF_UNIX sockets, or TCP or UDP sockets of AF_INET or AF_INET6. memfd_create
// is allowed only with MFD_NOEXEC_SEAL. Setuid and setgid bits cannot be set. The ioctls TIOCSTI, TIOCLINUX and
// TIOCSETD are refused, also if the upper half of the register with the ioctl's number is not zero (the kernel ignores
// this half). A process can change limits, scheduling and priority of itself, but not of another process. The socket
// option SO_LINGER is refused: a script can send a socket to the server, and with this option the server's close(2)
// could block. A system call of another ABI kills the process. A watcher (pid 1 of a script view while the script runs)
// may make only the calls in kWatcher of list.h. All of this also holds for the process that sets up a view (the
// namespaces of the script or of its commands), except that this process may make the calls in kSetUp of list.h.
// Does not cover: the files and addresses that the allowed calls reach; setting the CPU affinity of other processes of
// the same uid.
#pragma once

#include <string>

#include "schemas/core/result.h"

namespace band::syscalls {

// Classic BPF programs, as arrays of struct sock_filter. If a process has several, the kernel runs all of them and
// applies the strictest result.
struct Filter {
  // The zygote (the process from which pid 1 of each view is cloned) loads these two, and all processes of all views
  // inherit them. `list` decides which calls are possible, including those of kSetUp; `arguments` refuses some calls
  // because of their arguments. (One libseccomp filter cannot allow a call and also refuse this call for certain bits
  // of an argument.)
  std::string list, arguments;
  // Refuses the calls of kSetUp. It is loaded in each view, before a script or a command starts. Loading it takes a
  // seventh of the time of loading `list`, because it is short.
  std::string after_setup;
  std::string watcher;  // for a process that only reads, writes, waits and exits
};

// Call it once, at the start of the server: making the filter takes a millisecond, loading it takes microseconds.
Result<Filter> make_filter();

// Load parts of the filter into the calling process, which must have no_new_privs or CAP_SYS_ADMIN: load_for_setup()
// loads `list` and `arguments`, load_for_script() `after_setup`, load_for_watcher() `watcher`. Each function then makes
// some calls that the filter must refuse, and returns an error if one is not refused. (Without the filter, these calls
// have no effect, or fail with another errno.) Call load_for_setup() first, in this process or in one from which it was
// forked; load_for_script() returns an error when this was not done.
Status load_for_setup(const Filter& filter);
Status load_for_script(const Filter& filter);
Status load_for_watcher(const Filter& filter);

}  // namespace band::syscalls
