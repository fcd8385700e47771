// Finds the hierarchies of control groups, and the processes in a group.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "server/base/io.h"
#include "server/slot/slot.h"

namespace band::slot {
namespace {

constexpr const char* kLayer = "slot";

struct Controller {
  const char* name;
  Hierarchy Cgroups::*where;
  const char* remedy;
};
constexpr Controller kControllers[] = {
    {"memory", &Cgroups::memory,
     "band needs the memory controller: mount cgroup v2 at /sys/fs/cgroup, or boot with cgroup_enable=memory"},
    {"cpu", &Cgroups::cpu,
     "band needs the cpu controller: mount cgroup v2 at /sys/fs/cgroup, or `mkdir /sys/fs/cgroup/cpu && mount -t "
     "cgroup "
     "-o cpu cpu /sys/fs/cgroup/cpu`; the kernel must have CONFIG_FAIR_GROUP_SCHED"},
    {"pids", &Cgroups::pids,
     "band needs the pids controller: mount cgroup v2 at /sys/fs/cgroup, or `mkdir /sys/fs/cgroup/pids && mount -t "
     "cgroup "
     "-o pids pids /sys/fs/cgroup/pids`; the kernel must have CONFIG_CGROUP_PIDS"}};

// Returns true when `word` is in `list`, whose words are separated by `separator`.
bool has_word(const std::string& list, const std::string& word, char separator) {
  return (separator + list + separator).find(separator + word + separator) != std::string::npos;
}

}  // namespace

std::vector<Hierarchy> hierarchies(const Cgroups& cgroups) {
  std::vector<Hierarchy> each;
  for (const Controller& controller : kControllers)
    if (const Hierarchy& where = cgroups.*controller.where; std::find(each.begin(), each.end(), where) == each.end())
      each.push_back(where);
  return each;
}

std::vector<std::string> controllers_in(const Cgroups& cgroups, const Hierarchy& hierarchy) {
  std::vector<std::string> names;
  for (const Controller& controller : kControllers)
    if (cgroups.*controller.where == hierarchy) names.emplace_back(controller.name);
  return names;
}

std::vector<pid_t> members(const std::string& group) {
  std::vector<pid_t> found;
  const auto listed = base::read_file(group + "/cgroup.procs", 1 << 20);
  if (!listed.ok()) return found;
  std::istringstream pids(*listed);
  pid_t pid = 0;
  while (pids >> pid)
    if (pid > 1 && pid != ::getpid()) found.push_back(pid);
  return found;
}

void kill_members(const std::string& group) {
  for (const pid_t pid : members(group)) ::kill(pid, SIGKILL);
}

Result<Cgroups> find_cgroups() {
  BAND_TRY(const std::string mounts, base::read_file("/proc/self/mounts", 4 << 20));
  return find_cgroups(mounts);
}

// Each controller is in one hierarchy of the machine: one of v1, or that of v2.
Result<Cgroups> find_cgroups(const std::string& mounts) {
  Cgroups found;
  std::istringstream lines(mounts);
  std::string source, target, type, options, rest;
  while (lines >> source >> target >> type >> options && std::getline(lines, rest)) {
    std::string unified;
    if (type == "cgroup2")
      if (auto listed = base::read_file(target + "/cgroup.controllers", 4096); listed.ok())
        unified = listed->substr(0, listed->find('\n'));
    for (const Controller& controller : kControllers) {
      const bool v1 = type == "cgroup" && has_word(options, controller.name, ',');
      Hierarchy& where = found.*controller.where;
      if (where.version == 0 && (v1 || has_word(unified, controller.name, ' '))) where = {v1 ? 1 : 2, target};
    }
  }
  for (const Controller& controller : kControllers)
    if ((found.*controller.where).version == 0)
      return layer_error(
          kLayer,
          std::string("cannot find the control groups of ") + controller.name + ": no hierarchy has this controller", 0,
          controller.remedy);
  return found;
}

}  // namespace band::slot
