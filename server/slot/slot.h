// A slot runs one execution at a time. The slot is prepared before its first execution.
//
// A slot is a thread of the engine that has moved into new namespaces: a network namespace with only `lo` (network.h),
// and a mount namespace in which stages are built. A stage is the file tree of one view (server/view/stage.h). A view
// is the namespaces in which the script runs, or its declared commands. The processes of an execution are in the slot's
// network namespace. Each view has a mount namespace of its own, whose root is a clone of a stage
// (server/init/zygote.h). When the engine exits, the kernel removes the namespaces of all slots; only empty cgroup
// directories are left. See unshare(2), cgroups(7).
//
// Promises: no two slots have the same uid, network namespace, mount namespace or cgroup. The memory of all processes
// of the slot's execution, together with the files that these processes write to a tmpfs, stays within the limit of
// limit_memory(). The number of processes and threads stays within the limit of limit_processes(), and the kernel
// counts the forks that it refuses at that limit.
// Each slot has one share of the processors, or the number of shares that set_shares() sets. This does not depend on
// the number of processes and sessions in the slot. A share is a CPU weight of the kernel: 1024 in cpu.shares (cgroup
// v1), 100 in cpu.weight (v2). With cgroup v1 the slot's own thread is in the group with that weight, so the thread's
// work for a flood of requests does not slow down other slots. With cgroup v2 the thread cannot be in this group,
// because all threads of a process must be in the same group where the memory controller is enabled. The thread's
// processor time then does not count for the slot's share.
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
  std::string root;  // the mount point: "/sys/fs/cgroup/memory" or "/sys/fs/cgroup"
  bool operator==(const Hierarchy&) const = default;
};

// The control group hierarchy of each controller on this machine. The controllers of cgroup v2 share one hierarchy.
// find_cgroups() returns an error when the machine has no hierarchy for one of the controllers.
struct Cgroups {
  Hierarchy memory, cpu, pids;
};
Result<Cgroups> find_cgroups();
Result<Cgroups> find_cgroups(const std::string& mounts);  // `mounts`: the text of /proc/mounts

// Returns each hierarchy once.
std::vector<Hierarchy> hierarchies(const Cgroups& cgroups);
// Returns the names of band's controllers in this hierarchy.
std::vector<std::string> controllers_in(const Cgroups& cgroups, const Hierarchy& hierarchy);

// Returns the processes in the group except this one.
std::vector<pid_t> members(const std::string& group);
// Sends SIGKILL to these processes.
void kill_members(const std::string& group);

// Moves the calling thread permanently into a new mount namespace and a new network namespace, and calls
// prepare_network(). Mounts that the machine makes or removes later appear or disappear in the new mount namespace,
// too. Mounts that the thread makes there do not appear on the machine.
Status own_namespaces();

// The control groups that each process of a slot must be in, as open files. They are valid until the next call of
// Slot::limit_memory().
struct Groups {
  int directory = -1;  // the group of cgroup v2, in which clone3(2) creates the process (CLONE_INTO_CGROUP); -1: none
  // The files `tasks` of groups of cgroup v1. A process that writes "0" to such a file joins the group.
  std::vector<int> tasks;
};

struct Config {
  Cgroups cgroups;
  std::string instance;  // distinguishes servers on one machine; admin::instance()
  uid_t uid_base = 0;
  gid_t gid = 0;  // gid of group band-runner
  int count = 1;  // number of slots: they have the user ids uid_base to uid_base + count - 1
};

// Returns the name of the control groups of the server with this configuration (server_groups.h).
std::string group_name(const Config& config);
// Returns the directory in `hierarchy` that contains the groups of the server's slots.
std::string group_of(const Hierarchy& hierarchy, const Config& config);

// limit_memory() keeps a control group only if at most this amount of memory of earlier executions is still charged to
// it. Such memory can remain after the end of all processes: the kernel frees some of its own memory later, and the
// page cache keeps files that were read.
inline constexpr std::int64_t kMostResidueBytes = 1 << 20;

struct Usage {                  // by the current execution
  std::int64_t peak_bytes = 0;  // if the group was kept, this contains up to kMostResidueBytes of earlier executions
  std::int64_t oom_kills = 0;
  std::int64_t refused_forks = 0;  // forks that limit_processes() made the kernel refuse
};

class Slot {
 public:
  // Makes slot number `index` (from 0), with the uid uid_base + index. Call enter() on the slot's thread: it moves the
  // calling thread permanently into the slot's namespaces (own_namespaces()).
  static Result<Slot> enter(int index, const Config& config);
  Slot() = default;
  Slot(Slot&&) = default;
  Slot& operator=(Slot&&) = default;

  int index() const { return index_; }
  uid_t uid() const { return uid_; }
  gid_t gid() const { return gid_; }
  Groups groups() const;

  // Provides a control group with this memory limit for the next execution. `owner`: the token of the execution.
  // Usually makes a new group, kills the processes that are still in the group of the previous execution, and removes
  // that group. Memory that is still charged to the previous group (pages of files on a tmpfs of the machine) is not
  // charged to the new group. Making and removing a group takes 0.3 ms of processor time. Therefore keeps the group of
  // the previous execution if all of this is true: that execution had the same owner and limit; no process and at most
  // kMostResidueBytes of it are left; the kernel can reset the peak of the memory (cgroup v1; v2 since Linux 6.12).
  Status limit_memory(std::int64_t bytes, const std::string& owner);
  // Limits how many processes and threads the programs of the slot may have at a time. Call limit_processes() after
  // limit_memory(), and again when the limit changes. Existing processes beyond the limit are not killed. See pids.max
  // in cgroups(7).
  Status limit_processes(std::int64_t most) const;
  // Sets the number of the slot's shares of the processors: initially 1, at most 100. If one hierarchy has both the
  // memory and the cpu controller, and limit_memory() makes a new group, the number is 1 again. The control file
  // (cpu.shares or cpu.weight) is kept open, so that it can be written even when the script has used up its memory.
  Status set_shares(int shares) const;
  Usage usage() const;

 private:
  int index_ = 0;
  uid_t uid_ = 0;
  gid_t gid_ = 0;
  int version_ = 0;  // version of the memory cgroups
  Status enter_group();
  bool keep_group(std::int64_t bytes, const std::string& owner) const;
  void open_peak();
  Status set_limit(std::int64_t bytes) const;
  Status open_weight(const std::string& group);
  Status make_share(const Config& config);
  Status make_count(const Config& config);
  std::string count_group() const { return count_.empty() ? group_ : count_; }
  std::int64_t refused_forks() const;  // number of refused forks since count_group() was made
  std::int64_t oom_kills() const;      // since group_ was made
  void remove_left_groups();

  std::string groups_;               // directory of this server's groups
  std::string group_;                // group of the current execution
  std::string shares_;               // the slot's cpu group, for all executions; empty: group_ is the cpu group
  int shares_version_ = 0;           // version of the cpu cgroups
  std::string count_;                // the slot's pids group, for all executions; empty: see count_group()
  std::int64_t thread_ = 0;          // 1: the pids group also counts the slot's thread
  std::int64_t refused_before_ = 0;  // refused forks of earlier executions in the pids group
  std::int64_t oom_before_ = 0;      // OOM kills of earlier executions in group_
  std::int64_t limit_ = 0;           // memory limit of group_, in bytes; 0: not set
  std::string owner_;                // token of the executions in group_
  std::vector<std::string> left_;    // groups of earlier executions that still had processes
  std::uint64_t generation_ = 0;
  base::Fd weight_;  // cpu.shares or cpu.weight
  base::Fd peak_;    // memory.max_usage_in_bytes, or memory.peak if the kernel has it (one peak for each open file)
  base::Fd cgroup_;  // Groups::directory
  // Groups::tasks. Empty: the controller has cgroup v2, or shares the group of another controller.
  base::Fd memory_tasks_, cpu_tasks_, count_tasks_;
};

}  // namespace band::slot
