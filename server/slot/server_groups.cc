#include "server/slot/server_groups.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <memory>
#include <optional>
#include <string_view>

#include "server/base/io.h"

namespace band::slot {
namespace {

constexpr const char* kLayer = "slot";
constexpr std::string_view kPrefix = "band-";
constexpr int kAttempts = 100, kPauseUs = 10'000;

struct Name {
  std::string instance;
  std::uint64_t first = 0, count = 0;  // the user ids
};

bool read_number(std::string_view text, std::uint64_t& number) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && rest == text.data() + text.size();
}

// The inverse of group_name(). Older versions of band wrote names without a second "-"; these names are not accepted.
std::optional<Name> read_name(std::string_view name) {
  const std::size_t last = name.rfind('-');
  const std::size_t middle = last == name.npos || last == 0 ? name.npos : name.rfind('-', last - 1);
  if (!name.starts_with(kPrefix) || middle == name.npos || middle <= kPrefix.size()) return std::nullopt;
  Name read{std::string(name.substr(kPrefix.size(), middle - kPrefix.size())), 0, 0};
  if (!read_number(name.substr(middle + 1, last - middle - 1), read.first)) return std::nullopt;
  if (!read_number(name.substr(last + 1), read.count)) return std::nullopt;
  return read;
}

std::vector<std::string> directories_in(const std::string& group) {
  std::vector<std::string> names;
  std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(group.c_str()), ::closedir);
  while (const dirent* entry = dir ? ::readdir(dir.get()) : nullptr)
    if (entry->d_type == DT_DIR && entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  return names;
}

// rmdir fails with EBUSY until the process that inherited the last member has reaped it; one second is plenty.
bool remove_dir(const std::string& group) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (::rmdir(group.c_str()) == 0 || errno == ENOENT) return true;
    if (errno != EBUSY) return false;
    ::usleep(kPauseUs);
  }
  return false;
}

bool kill_and_remove(const std::string& group) {
  bool all = true;
  for (const std::string& slot : directories_in(group)) {
    kill_members(group + "/" + slot);
    all = remove_dir(group + "/" + slot) && all;
  }
  return remove_dir(group) && all;
}

bool remove_empty(const std::string& group) {
  for (const std::string& slot : directories_in(group)) ::rmdir((group + "/" + slot).c_str());
  return ::rmdir(group.c_str()) == 0 || errno == ENOENT;
}

// Returns the locked directory, or an empty Fd when a server has locked the directory, or it does not exist any more.
base::Fd lock_group(const std::string& group) {
  base::Fd fd(::open(group.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat locked {
  }, there{};
  // Another server may have removed the directory before it was locked, and its owner may have made it again.
  if (!fd || ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0 || ::fstat(fd.get(), &locked) != 0 ||
      ::stat(group.c_str(), &there) != 0 || locked.st_ino != there.st_ino || locked.st_dev != there.st_dev)
    return base::Fd();
  return fd;
}

// Only in v2: a group's processes can use only the controllers that its parent enables for it.
Status hand_down(const Cgroups& cgroups, const Hierarchy& hierarchy, const std::string& group) {
  if (hierarchy.version != 2) return done();
  std::string words;
  for (const std::string& controller : controllers_in(cgroups, hierarchy))
    words += (words.empty() ? "+" : " +") + controller;
  Status written = base::write_kernel_file(group + "/cgroup.subtree_control", words);
  if (!written.ok() && written.error().err == EBUSY)
    written.error().hint =
        "the topmost control group of this container contains processes: move them into a group below it";
  return written;
}

// Makes and locks the group. If it exists, an earlier server with the same instance has made it.
Result<base::Fd> make_group(const std::string& group) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const bool made = ::mkdir(group.c_str(), 0700) == 0;
    if (!made && errno != EEXIST)
      return layer_error(kLayer, "cannot make " + group, errno, "give band-server write access there");
    base::Fd lock = lock_group(group);
    if (lock && made) return lock;
    if (lock && !kill_and_remove(group))
      return layer_error(kLayer, "cannot remove the control groups of an earlier server: " + group, EBUSY,
                         "end the processes that " + group + "/*/cgroup.procs lists");
    // Not locked: the earlier server is exiting, or a server that starts at the same time looks whether it has exited.
    if (!lock) ::usleep(kPauseUs);
  }
  return layer_error(kLayer, "cannot lock " + group, EBUSY,
                     "a running process has locked this directory; `lslocks` lists its number");
}

bool overlap(const Name& name, const Config& config) {
  const std::uint64_t first = config.uid_base, count = static_cast<std::uint64_t>(config.count);
  return name.first < first + count && first < name.first + name.count;
}

Status none_has(const Config& config, const Hierarchy& hierarchy, const std::vector<std::string>& servers) {
  for (const std::string& server : servers)
    if (const auto name = read_name(server); name && name->instance != config.instance && overlap(*name, config))
      return layer_error(kLayer,
                         "another server on this machine has user ids of " + std::to_string(config.uid_base) + " to " +
                             std::to_string(config.uid_base + static_cast<uid_t>(config.count) - 1) +
                             ", which the slots need: control group " + hierarchy.root + "/" + server,
                         0, "set another `slots.uid_base` in server.yaml, or stop the other server");
  return done();
}

// Removes the groups of servers that have exited; `instance`: the server that may have left processes. Returns the
// names of the groups that stay: of running servers, or with processes.
std::vector<std::string> clean(const Hierarchy& hierarchy, const std::string& instance) {
  std::vector<std::string> left;
  for (const std::string& each : directories_in(hierarchy.root)) {
    const auto name = read_name(each);
    if (!name) continue;
    const std::string group = hierarchy.root + "/" + each;
    const base::Fd lock = lock_group(group);
    const bool removed = lock && (name->instance == instance ? kill_and_remove(group) : remove_empty(group));
    if (!removed && ::access(group.c_str(), F_OK) == 0) left.push_back(each);
  }
  return left;
}

}  // namespace

std::string group_name(const Config& config) {
  return std::string(kPrefix) + config.instance + "-" + std::to_string(config.uid_base) + "-" +
         std::to_string(config.count);
}

std::string group_of(const Hierarchy& hierarchy, const Config& config) {
  return hierarchy.root + "/" + group_name(config);
}

Result<ServerGroups> ServerGroups::make(const Config& config) {
  ServerGroups groups;
  for (const Hierarchy& hierarchy : hierarchies(config.cgroups)) {
    BAND_CHECK(hand_down(config.cgroups, hierarchy, hierarchy.root));
    const std::string group = group_of(hierarchy, config);
    BAND_TRY(base::Fd lock, make_group(group));
    groups.held_.push_back({group, std::move(lock)});
    BAND_CHECK(hand_down(config.cgroups, hierarchy, group));
  }
  // After its own groups exist: of two servers that start at the same time, at least one sees the other.
  for (const Hierarchy& hierarchy : hierarchies(config.cgroups))
    BAND_CHECK(none_has(config, hierarchy, clean(hierarchy, config.instance)));
  return groups;
}

ServerGroups::~ServerGroups() {
  for (const Held& each : held_) kill_and_remove(each.path);
}

std::vector<std::string> ServerGroups::paths() const {
  std::vector<std::string> paths;
  for (const Held& each : held_) paths.push_back(each.path);
  return paths;
}

Status uids_free(const Config& config) {
  for (const Hierarchy& hierarchy : hierarchies(config.cgroups)) {
    std::vector<std::string> running;
    for (const std::string& each : directories_in(hierarchy.root))
      if (read_name(each) && !lock_group(hierarchy.root + "/" + each)) running.push_back(each);
    BAND_CHECK(none_has(config, hierarchy, running));
  }
  return done();
}

void remove_dead_groups(const Cgroups& cgroups) {
  for (const Hierarchy& hierarchy : hierarchies(cgroups)) clean(hierarchy, "");
}

void remove_empty_group(const Cgroups& cgroups, const std::string& name) {
  for (const Hierarchy& hierarchy : hierarchies(cgroups)) remove_empty(hierarchy.root + "/" + name);
}

}  // namespace band::slot
