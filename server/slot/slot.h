// Runner slots. A slot is prepared in advance and holds one execution at a time.
//
// A slot is a thread of the engine that has moved into its own namespaces: a network namespace with only `lo`
// (network.h), and a mount namespace in which stages are built. Everything that it starts inherits them. When the
// engine exits, the kernel removes both; only empty cgroup directories are left. See unshare(2), cgroups(7).
//
// Promises: no two slots share a uid, a network namespace, a mount namespace or a cgroup. The memory of everything that
// a slot starts, files on its tmpfs included, stays within the limit. Each slot has one share of the processors, or the
// number that set_shares() sets, for any number of processes and sessions. With cgroup v1 the slot's own thread is in
// the group that has the share: its work for a flood of requests does not slow down other slots. (With cgroup v2 a
// thread must be in the group of its process where the memory controller is.) The number of processes and threads is
// limited, and the kernel counts each fork that it refuses for this.
// Does not cover: packets that leave the network namespace (the firewall), files that the uid can access (the view).
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
  int version = 0;   // cgroup version: 1 or 2
  std::string root;  // "/sys/fs/cgroup/memory", "/sys/fs/cgroup"
  bool operator==(const Hierarchy&) const = default;
};

// The control group hierarchy of each controller on this machine; in v2 it is the same for all.
struct Cgroups {
  Hierarchy memory, cpu, pids;
};
Result<Cgroups> find_cgroups();
Result<Cgroups> find_cgroups(const std::string& mounts);  // `mounts`: the text of /proc/mounts

// Returns the directory of a server's groups in `hierarchy`.
std::string group_of(const Hierarchy& hierarchy, const std::string& instance);

// Makes the group of this server ("band-<instance>"). Before, removes the groups of an earlier server of that name, and
// kills the processes in them (after kill -9 of a server there are none, because band-init exits).
Status prepare_group(const Cgroups& cgroups, const std::string& instance);
void remove_group(const Cgroups& cgroups, const std::string& instance);

// Sends SIGKILL to every process in the group except this one.
void kill_members(const std::string& group);

// Moves the calling thread permanently into the namespaces of a slot: mount and network, the latter with only `lo`.
Status own_namespaces();

struct Config {
  Cgroups cgroups;
  std::string instance;  // distinguishes servers on one machine
  uid_t uid_base = 0;
  gid_t gid = 0;  // gid of group band-runner
};

struct Usage {  // usage by the current execution
  std::int64_t peak_bytes = 0;
  std::int64_t oom_kills = 0;
  std::int64_t refused_forks = 0;  // forks that limit_processes() made the kernel refuse
};

class Slot {
 public:
  // Called on the slot's thread, which stays in these namespaces until it exits.
  static Result<Slot> enter(int index, const Config& config);
  Slot() = default;
  Slot(Slot&&) = default;
  Slot& operator=(Slot&&) = default;

  int index() const { return index_; }
  uid_t uid() const { return uid_; }
  gid_t gid() const { return gid_; }
  void place(base::Spawn& what) const;  // start `what` in the slot's control groups

  // Makes a new control group for the next execution, with this limit. Memory that the last execution left charged
  // (pages of a tmpfs of the machine) stays with the last group, which is removed. Processes still in that group are
  // killed: when bubblewrap was killed before it was ready, its child may be asleep, waiting for it.
  Status limit_memory(std::int64_t bytes);
  // Call it after limit_memory(), and again when the number changes: limits how many processes and threads the slot's
  // programs may have at a time. Existing ones beyond the limit stay. See pids.max in cgroups(7).
  Status limit_processes(std::int64_t most) const;
  // Sets the slot's shares of the processors: initially 1, at most 100. Where each execution has its own group for
  // that, limit_memory() makes it with one share. The file is kept open, so that it can be written also when the script
  // has used up its memory.
  Status set_shares(int shares) const;
  Usage usage() const;

 private:
  int index_ = 0;
  uid_t uid_ = 0;
  gid_t gid_ = 0;
  int version_ = 0;  // version of the memory cgroups
  Status enter_group();
  Status open_weight(const std::string& group);
  Status make_share(const Cgroups& cgroups, const std::string& instance);
  Status make_count(const Cgroups& cgroups, const std::string& instance);
  std::string count_group() const { return count_.empty() ? group_ : count_; }
  std::int64_t refused_forks() const;  // since the group was made
  void leave_group(const std::string& group);

  std::string groups_;               // directory of this server's groups
  std::string group_;                // group of the current execution
  std::string shares_;               // the slot's cpu group, for all executions; empty: the same as group_
  int shares_version_ = 0;           // version of the cpu cgroups
  std::string count_;                // the slot's pids group, for all executions; empty: the same as group_
  std::int64_t thread_ = 0;          // 1: the slot's thread is counted in it
  std::int64_t refused_before_ = 0;  // forks of earlier executions refused in that group
  std::vector<std::string> left_;    // groups that were still busy after their execution
  std::uint64_t generation_ = 0;
  base::Fd weight_;     // cpu.shares or cpu.weight
  base::Fd cgroup_;     // v2
  base::Fd cpu_tasks_;  // v1
};

}  // namespace band::slot
