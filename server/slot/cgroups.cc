// Finds the control groups, makes the server's own group, and removes the groups of an earlier server.
#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
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

std::vector<Hierarchy> hierarchies(const Cgroups& cgroups) {
  std::vector<Hierarchy> each;
  for (const Controller& controller : kControllers)
    if (const Hierarchy& where = cgroups.*controller.where; std::find(each.begin(), each.end(), where) == each.end())
      each.push_back(where);
  return each;
}

std::vector<std::string> subgroups(const std::string& group) {
  std::vector<std::string> names;
  std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(group.c_str()), ::closedir);
  while (const dirent* entry = dir ? ::readdir(dir.get()) : nullptr)
    if (entry->d_type == DT_DIR && entry->d_name[0] != '.') names.push_back(group + "/" + entry->d_name);
  return names;
}

// rmdir fails with EBUSY until the process that inherited the last member has reaped it; one second is plenty.
bool remove_dir(const std::string& group) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    if (::rmdir(group.c_str()) == 0 || errno == ENOENT) return true;
    if (errno != EBUSY) return false;
    ::usleep(10'000);
  }
  return false;
}

bool remove_tree(const std::string& group) {
  bool all = true;
  for (const std::string& slot : subgroups(group)) {
    kill_members(slot);
    all = remove_dir(slot) && all;
  }
  return remove_dir(group) && all;
}

// Only in v2: a group's processes can use only the controllers that its parent enables for it.
Status hand_down(const Cgroups& cgroups, const Hierarchy& hierarchy, const std::string& group) {
  std::string words;
  for (const Controller& controller : kControllers)
    if (cgroups.*controller.where == hierarchy) words += (words.empty() ? "+" : " +") + std::string(controller.name);
  Status written = base::write_kernel_file(group + "/cgroup.subtree_control", words);
  if (!written.ok() && written.error().err == EBUSY)
    written.error().hint =
        "the topmost control group of this container contains processes: move them into a group below it";
  return written;
}

Status make_group(const Cgroups& cgroups, const Hierarchy& hierarchy, const std::string& instance) {
  const std::string group = group_of(hierarchy, instance);
  if (!remove_tree(group))
    return layer_error(kLayer, "cannot remove the control groups of an earlier server: " + group, EBUSY,
                       "end the processes that " + group + "/*/cgroup.procs lists");
  if (hierarchy.version == 2) BAND_CHECK(hand_down(cgroups, hierarchy, hierarchy.root));
  if (::mkdir(group.c_str(), 0755) != 0)
    return layer_error(kLayer, "cannot make " + group, errno, "give band-server write access there");
  if (hierarchy.version == 2) BAND_CHECK(hand_down(cgroups, hierarchy, group));
  return done();
}

}  // namespace

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

std::string group_of(const Hierarchy& hierarchy, const std::string& instance) {
  return hierarchy.root + "/band-" + instance;
}

Status prepare_group(const Cgroups& cgroups, const std::string& instance) {
  for (const Hierarchy& hierarchy : hierarchies(cgroups)) BAND_CHECK(make_group(cgroups, hierarchy, instance));
  return done();
}

void remove_group(const Cgroups& cgroups, const std::string& instance) {
  for (const Hierarchy& hierarchy : hierarchies(cgroups)) remove_tree(group_of(hierarchy, instance));
}

}  // namespace band::slot
