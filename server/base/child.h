// Starts a program as a child process, which is killed and reaped by its owner. See clone(2), pidfd_open(2), waitid(2).
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

struct Exit {
  bool signalled = false;
  int code = 0;  // exit status, or the signal's number
};

// A child process. The destructor kills and reaps it if wait() has not reaped it.
class Child {
 public:
  Child() = default;
  Child(pid_t pid, Fd pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}
  Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, -1)), pidfd_(std::move(other.pidfd_)) {}
  Child& operator=(Child&& other) noexcept;
  ~Child() { end(); }

  pid_t pid() const { return pid_; }
  int pidfd() const { return pidfd_.get(); }
  explicit operator bool() const { return pid_ > 0; }
  void kill(int signal) const;
  // Waits at most `ms` milliseconds (-1: no timeout) and reaps the child; nullopt when it is still running.
  std::optional<Exit> wait(int ms);
  // Releases ownership: the destructor neither kills nor reaps the child. For a program that is about to exit; init
  // then reaps its children.
  void abandon();

 private:
  void end();

  pid_t pid_ = -1;
  Fd pidfd_;
};

struct Spawn {
  std::vector<std::string> argv;  // argv[0] is a path; PATH is not searched
  std::vector<std::string> env;   // NAME=VALUE; the whole environment
  // fds[i] becomes descriptor i in the child; all other descriptors are closed there. At most 16.
  std::vector<int> fds;
  int cgroup_fd = -1;  // the directory of a cgroup v2 in which the child is created, or -1
  int tasks_fd = -1;   // `tasks` of a cgroup v1 that the child joins before exec, or -1
};

// Uses clone3 with CLONE_VM|CLONE_VFORK, so that the cost does not grow with the server's memory. The child has the
// mount namespace, network namespace and cgroup of the calling thread. A failed exec is an Error, not an exit status.
Result<Child> spawn(const Spawn& what);

}  // namespace band::base
