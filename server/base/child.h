// Starting a program, and being sure that it has ended. See clone(2), pidfd_open(2), waitid(2).
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

// A child process, killed and reaped at the end of its scope if it is still there.
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
  // Waits at most `ms` milliseconds (-1: for ever); nullopt when it is still running.
  std::optional<Exit> wait(int ms);
  // It is nobody's to kill or to wait for any more: for a program that ends, whose children init reaps.
  void abandon();

 private:
  void end();

  pid_t pid_ = -1;
  Fd pidfd_;
};

struct Spawn {
  std::vector<std::string> argv;  // argv[0] is a path, no search
  std::vector<std::string> env;   // NAME=VALUE; the whole environment
  // fds[i] becomes descriptor i in the child; everything else is closed there.
  std::vector<int> fds;
  int cgroup_fd = -1;  // a cgroup v2 directory to be born in, or -1
  int tasks_fd = -1;   // `tasks` of a cgroup v1 group that it joins before it execs, or -1
};

// By clone3 with CLONE_VM|CLONE_VFORK, so the cost does not grow with the server; in the mount, network and cgroup of
// the calling thread. A failed exec is an Error here, not an exit status.
Result<Child> spawn(const Spawn& what);

}  // namespace band::base
