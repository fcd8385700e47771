// A slot runs one execution at a time; it is prepared before the first one.
//
// A slot is a thread of the engine that has moved into new namespaces: a network namespace with only `lo` (network.h),
// and a mount namespace in which stages are built (server/view/stage.h). Each view of the slot is in
// this network namespace, and in a mount namespace of its own with a copy of the stage's mounts. When the engine exits,
// the kernel removes the namespaces; only empty cgroup directories are left. See unshare(2), cgroups(7).
//
// Promises: no two slots have the same uid, network namespace, mount namespace or cgroup. The memory of all processes
// that a slot starts, together with the files on its tmpfs, stays within the limit of limit_memory(). The number of
// processes and threads stays within the limit of limit_processes(), and the kernel counts the forks that it refuses at
// that limit.
// Each slot has one share of the processors, or as many as set_shares() sets, regardless of the number of its processes
// and sessions. A share is a CPU weight of the kernel: 1024 in cpu.shares (cgroup v1), 100 in cpu.weight (v2). With
// cgroup v1 the slot's own thread is in the group with that weight, so a flood of requests to one slot does not slow
// down other slots. With cgroup v2 this is impossible: where the memory controller is enabled, a thread must be in the
// same group as its process.
// Does not cover: packets that leave the network namespace (the firewall), files that the uid can access (the view).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"

namespace band::slot {

struct Hierarchy {
  int version = 0;   // cgroup version: 1 or 2
  std::string root;  // "/sys/fs/cgroup/memory", "/sys/fs/cgroup"
  bool operator==(const Hierarchy&) const = default;
};

// The control group hierarchy of each controller on this machine. The controllers of cgroup v2 share one hierarchy.
struct Cgroups {
  Hierarchy memory, cpu, pids;
};
Result<Cgroups> find_cgroups();
Result<Cgroups> find_cgroups(const std::string& mounts);  // `mounts`: the text of /proc/mounts

// Returns the directory of a server's groups in `hierarchy`.
std::string group_of(const Hierarchy& hierarchy, const std::string& instance);

// Makes the group of this server ("band-<instance>"). First removes the groups of an earlier server with the same
// instance, and kills processes that are left in them. Usually none is left: after kill -9 of a server the
// zygote exits, and the kernel kills all views.
Status prepare_group(const Cgroups& cgroups, const std::string& instance);
void remove_group(const Cgroups& cgroups, const std::string& instance);

// Sends SIGKILL to every process in the group except this one.
void kill_members(const std::string& group);

// Moves the calling thread permanently into a new mount namespace and a new network namespace, and calls
// prepare_network().
Status own_namespaces();

// The control groups of a slot's processes, as open files. They are valid until the next call of Slot::limit_memory().
struct Groups {
  int directory = -1;      // a cgroup v2: clone3(2) creates the process in it (CLONE_INTO_CGROUP); -1: none
  std::vector<int> tasks;  // `tasks` of cgroups v1: a process joins a group when it writes "0" to the file
};

struct Config {
  Cgroups cgroups;
  std::string instance;  // distinguishes servers on one machine
  uid_t uid_base = 0;
  gid_t gid = 0;  // gid of group band-runner
};

struct Usage {  // by the current execution
  std::int64_t peak_bytes = 0;
  std::int64_t oom_kills = 0;
  std::int64_t refused_forks = 0;  // forks that limit_processes() made the kernel refuse
};

class Slot {
 public:
  // Called on the slot's thread, which then stays in the slot's namespaces until it exits.
  static Result<Slot> enter(int index, const Config& config);
  Slot() = default;
  Slot(Slot&&) = default;
  Slot& operator=(Slot&&) = default;

  int index() const { return index_; }
  uid_t uid() const { return uid_; }
  gid_t gid() const { return gid_; }
  Groups groups() const;

  // Makes a new control group with this memory limit for the next execution, and removes the group of the previous
  // execution. Memory that is still charged to the previous group (pages of files on a tmpfs of the machine) is not
  // charged to the new group. Processes that are still in the previous group are killed.
  Status limit_memory(std::int64_t bytes);
  // Limits how many processes and threads the programs of the slot may have at a time. Call it after limit_memory(),
  // and again when the limit changes. Existing processes beyond the limit are not killed. See pids.max in cgroups(7).
  Status limit_processes(std::int64_t most) const;
  // Sets the slot's shares of the processors: initially 1, at most 100. If one hierarchy has both the memory and the
  // cpu controller, limit_memory() resets the shares to 1, because it makes a new group. The control file (cpu.shares
  // or cpu.weight) is kept open, so that it can be written even when the script has used up its memory.
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
  std::int64_t refused_forks() const;  // since count_group() was made
  void leave_group(const std::string& group);

  std::string groups_;               // directory of this server's groups
  std::string group_;                // group of the current execution
  std::string shares_;               // the slot's cpu group, for all executions; empty: group_ is the cpu group
  int shares_version_ = 0;           // version of the cpu cgroups
  std::string count_;                // the slot's pids group, for all executions; empty: see count_group()
  std::int64_t thread_ = 0;          // 1: the pids group also counts the slot's thread
  std::int64_t refused_before_ = 0;  // refused forks of earlier executions in the pids group
  std::vector<std::string> left_;    // groups of earlier executions that still had processes
  std::uint64_t generation_ = 0;
  base::Fd weight_;                                  // cpu.shares or cpu.weight
  base::Fd cgroup_;                                  // v2
  base::Fd memory_tasks_, cpu_tasks_, count_tasks_;  // v1; empty: the group is also that of another controller
};

}  // namespace band::slot
