// Where the memory cgroups are, and the server's own group with what an earlier server left in it.
#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <sstream>
#include <vector>

#include "server/base/io.h"
#include "server/slot/slot.h"

namespace band::slot {
namespace {

constexpr const char* kLayer = "slot";
constexpr const char* kRemedy =
    "band needs the memory controller: mount cgroup v2 at /sys/fs/cgroup, or boot with cgroup_enable=memory";

std::vector<std::string> subgroups(const std::string& group) {
  std::vector<std::string> names;
  std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(group.c_str()), ::closedir);
  while (const dirent* entry = dir ? ::readdir(dir.get()) : nullptr)
    if (entry->d_type == DT_DIR && entry->d_name[0] != '.') names.push_back(group + "/" + entry->d_name);
  return names;
}

void kill_members(const std::string& group) {
  const auto members = base::read_file(group + "/cgroup.procs", 1 << 20);
  if (!members.ok()) return;
  std::istringstream pids(*members);
  pid_t pid = 0;
  while (pids >> pid)
    if (pid > 1 && pid != ::getpid()) ::kill(pid, SIGKILL);
}

// rmdir answers EBUSY until the last process is reaped by whoever inherited it; a second is plenty.
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

}  // namespace

Result<Cgroups> find_cgroups() {
  BAND_TRY(const std::string mounts, base::read_file("/proc/self/mounts", 4 << 20));
  std::istringstream lines(mounts);
  std::string source, target, type, options, rest;
  Cgroups unified;
  while (lines >> source >> target >> type >> options && std::getline(lines, rest)) {
    if (type == "cgroup" && ("," + options + ",").find(",memory,") != std::string::npos) return Cgroups{1, target};
    if (type == "cgroup2") unified = {2, target};
  }
  if (unified.version == 2) {
    const auto controllers = base::read_file(unified.memory + "/cgroup.controllers", 4096);
    if (controllers.ok() && (" " + *controllers).find(" memory") != std::string::npos) return unified;
  }
  return layer_error(kLayer, "find the memory control groups: no hierarchy has them", 0, kRemedy);
}

Status prepare_group(const Cgroups& cgroups, const std::string& instance) {
  const std::string group = cgroups.memory + "/band-" + instance;
  if (!remove_tree(group))
    return layer_error(kLayer, "remove the control groups of an earlier server: " + group, EBUSY,
                       "something still runs in them; see " + group + "/*/cgroup.procs");
  if (cgroups.version == 2) BAND_CHECK(base::write_kernel_file(cgroups.memory + "/cgroup.subtree_control", "+memory"));
  if (::mkdir(group.c_str(), 0755) != 0) return layer_error(kLayer, "make " + group, errno, kRemedy);
  if (cgroups.version == 2) BAND_CHECK(base::write_kernel_file(group + "/cgroup.subtree_control", "+memory"));
  return done();
}

void remove_group(const Cgroups& cgroups, const std::string& instance) {
  remove_tree(cgroups.memory + "/band-" + instance);
}

}  // namespace band::slot
