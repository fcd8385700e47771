// Runner slots: a place for one execution at a time, made ahead.
//
// A slot is a thread of the engine that has moved into namespaces of its own: a network namespace with nothing but `lo`
// (network.h) and a mount namespace in which stages are built. Everything it starts inherits them, and when the engine
// dies the kernel takes both away: there is nothing to clean up but empty cgroup directories. See unshare(2),
// cgroups(7).
//
// Promises: no two slots share a uid, a network namespace, a mount namespace or a cgroup; the memory of everything that
// a slot starts, files on its tmpfs included, is held to the limit; of the processors each slot has one share, or as
// many as set_shares() says, however many processes and sessions it starts. With cgroup v1 the slot's own thread is one
// of those that the share is divided among: what it does for a flood of requests is not done at the cost of other
// slots. (A thread cannot be in another group of cgroup v2 than its process, where the memory controller is.) Processes
// and threads of all that it starts are held to a number, and each that was refused for it is counted by the kernel.
// Does not cover: what may leave the network namespace (the firewall), who may use the uid's rights (the view).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/child.h"
#include "server/base/fd.h"

namespace band::slot {

struct Hierarchy {
  int version = 0;   // of cgroups: 1 or 2
  std::string root;  // "/sys/fs/cgroup/memory", "/sys/fs/cgroup"
  bool operator==(const Hierarchy&) const = default;
};

// Where this machine keeps the control groups of each controller: in v2 all in one hierarchy.
struct Cgroups {
  Hierarchy memory, cpu, pids;
};
Result<Cgroups> find_cgroups();
Result<Cgroups> find_cgroups(const std::string& mounts);  // as /proc/mounts has them

// The directory of a server's groups there.
std::string group_of(const Hierarchy& hierarchy, const std::string& instance);

// Makes the group of this server ("band-<instance>") and removes what an earlier one of that name left: kills what
// still runs there (after kill -9 of a server: nothing, band-init sees to that) and removes the slots' groups.
Status prepare_group(const Cgroups& cgroups, const std::string& instance);
void remove_group(const Cgroups& cgroups, const std::string& instance);

// SIGKILL to every process in the group but this one.
void kill_members(const std::string& group);

// The namespaces of a slot, for the rest of the calling thread's life: mount and network, with nothing but `lo`.
Status own_namespaces();

struct Config {
  Cgroups cgroups;
  std::string instance;  // distinguishes servers on one machine
  uid_t uid_base = 0;
  gid_t gid = 0;  // of group band-runner
};

struct Usage {  // of the present execution
  std::int64_t peak_bytes = 0;
  std::int64_t oom_kills = 0;
  std::int64_t refused_forks = 0;  // for want of a place in limit_processes()
};

class Slot {
 public:
  // On the thread that is to be the slot's, which stays in these namespaces for the rest of its life.
  static Result<Slot> enter(int index, const Config& config);
  Slot() = default;
  Slot(Slot&&) = default;
  Slot& operator=(Slot&&) = default;

  int index() const { return index_; }
  uid_t uid() const { return uid_; }
  gid_t gid() const { return gid_; }
  void place(base::Spawn& what) const;  // into the slot's control groups

  // A control group of its own for the next execution, with this limit. What the last one left charged (pages of a
  // tmpfs of the machine) stays with the last one's group, which is removed. What still runs in that is killed: when
  // bubblewrap is ended before it is ready, its child can be asleep, waiting for it.
  Status limit_memory(std::int64_t bytes);
  // After that, and whenever the number changes: how many processes and threads what the slot starts may have at a
  // time. More that are there already stay. See pids.max in cgroups(7).
  Status limit_processes(std::int64_t most) const;
  // How many shares of the processors the slot has: 1 at first, at most 100. Where each execution has a group of its
  // own for that, limit_memory() makes it, with one share. The file is open: it can be written also when the script has
  // used up its memory.
  Status set_shares(int shares) const;
  Usage usage() const;

 private:
  int index_ = 0;
  uid_t uid_ = 0;
  gid_t gid_ = 0;
  int version_ = 0;  // of the memory cgroups
  Status enter_group();
  Status open_weight(const std::string& group);
  Status make_share(const Cgroups& cgroups, const std::string& instance);
  Status make_count(const Cgroups& cgroups, const std::string& instance);
  std::string count_group() const { return count_.empty() ? group_ : count_; }
  std::int64_t refused_forks() const;  // since the group is there
  void leave_group(const std::string& group);

  std::string groups_;               // the directory of this server's groups
  std::string group_;                // the present execution's
  std::string shares_;               // of the processors, when that is another one: the slot's, for all executions
  int shares_version_ = 0;           // of its hierarchy
  std::string count_;                // of processes, when that is another one: the slot's, for all executions
  std::int64_t thread_ = 0;          // 1: the slot's thread is counted there, too
  std::int64_t refused_before_ = 0;  // forks of earlier executions in that group
  std::vector<std::string> left_;    // groups that were still busy when they were left
  std::uint64_t generation_ = 0;
  base::Fd weight_;     // cpu.shares or cpu.weight
  base::Fd cgroup_;     // v2
  base::Fd cpu_tasks_;  // v1
};

}  // namespace band::slot
