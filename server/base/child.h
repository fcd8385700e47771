// Starts a program as a child process. The destructor of Child kills and reaps the process. See clone(2),
// pidfd_open(2), waitid(2).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"

namespace band::base {

// How a child process ended.
struct Exit {
  bool signalled = false;  // a signal ended the process
  int code = 0;            // exit status, or the signal's number
};

// A child process. The destructor kills and reaps the process unless wait() has already reaped it.
class Child {
 public:
  Child() = default;
  Child(pid_t pid, Fd pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}
  Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, -1)), pidfd_(std::move(other.pidfd_)) {}
  Child& operator=(Child&& other) noexcept;
  ~Child() { end(); }

  pid_t pid() const { return pid_; }
  int pidfd() const { return pidfd_.get(); }
  explicit operator bool() const { return pid_ > 0; }  // false: there is no process, or wait() has reaped it
  void kill(int signal) const;                         // sends `signal`; does nothing when there is no process
  // Waits at most `ms` milliseconds (-1: no timeout) and reaps the child. Returns nullopt when the child still runs
  // after this time. Returns Exit{} when there is no process.
  std::optional<Exit> wait(int ms);
  // After abandon(), the destructor neither kills nor reaps the child. Use abandon() when the calling program is about
  // to exit; the machine's init then reaps the child.
  void abandon();

 private:
  void end();

  pid_t pid_ = -1;
  Fd pidfd_;
};

struct Spawn {
  std::vector<std::string> argv;  // argv[0] is a path; PATH is not searched
  std::vector<std::string> env;   // NAME=VALUE; nothing is added from the parent's environment
  // fds[i] becomes descriptor i in the child; all other descriptors are closed in the child. At most 16.
  std::vector<int> fds;
  // Starts the child in a new session (setsid(2)). Signals to the parent's process group, and signals of the parent's
  // terminal, then do not reach the child.
  bool new_session = false;
};

// Starts the program; returns an error also when exec fails. All signals have their default actions in the child, and
// none is blocked. The child is in the mount namespace, the network namespace and the cgroups of the calling thread.
// Uses clone3(2) with CLONE_VM|CLONE_VFORK, which does not copy page tables, so the duration does not grow with the
// memory of the calling process.
Result<Child> spawn(const Spawn& what);

}  // namespace band::base
