#include "client/platform/mounts.h"

#include <sys/stat.h>
#ifndef __APPLE__
#include <sys/sysmacros.h>
#endif

#include <cstddef>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <utility>

namespace band::client {
namespace {

// The kernel writes blanks, line feeds and backslashes as `\` and three octal digits. Returns "" for `/`.
std::string unescaped(const std::string& field) {
  std::string text;
  for (std::size_t i = 0; i < field.size(); ++i) {
    const bool escaped = field[i] == '\\' && i + 3 < field.size();
    text += escaped ? static_cast<char>((field[i + 1] - '0') * 64 + (field[i + 2] - '0') * 8 + field[i + 3] - '0')
                    : field[i];
    if (escaped) i += 3;
  }
  return text == "/" ? "" : text;
}

Error undetermined(const std::string& why, std::string hint) {
  return Error{.code = Code::PermissionDenied,
               .doing = "cannot determine where band's directories are mounted: " + why,
               .hint = std::move(hint)};
}

}  // namespace

#ifdef __APPLE__

Result<std::vector<Mount>> mounts() { return std::vector<Mount>{}; }

#else

Result<std::vector<Mount>> mounts() {
  std::ifstream mountinfo("/proc/self/mountinfo");
  std::vector<Mount> all = parse_mounts({std::istreambuf_iterator<char>(mountinfo), {}});
  struct ::stat root = {};
  if (all.empty() || ::stat("/", &root) != 0) return undetermined("/proc/self/mountinfo cannot be read", "mount /proc");
  BAND_CHECK(check_mounts(all, std::to_string(major(root.st_dev)) + ":" + std::to_string(minor(root.st_dev))));
  return all;
}

#endif

std::vector<Mount> parse_mounts(const std::string& mountinfo) {
  std::vector<Mount> all;
  std::set<std::string> ids;
  std::istringstream lines(mountinfo);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string root, option;
    Mount mount;
    if (!(fields >> mount.id >> mount.parent >> mount.device >> root >> mount.point)) continue;
    while (fields >> option && option != "-") continue;  // the number of options varies
    fields >> mount.type;
    mount.point = unescaped(mount.point);
    mount.origin = mount.device + unescaped(root);
    ids.insert(mount.id);
    all.push_back(std::move(mount));
  }
  for (Mount& mount : all)
    if (mount.parent == mount.id || !ids.contains(mount.parent)) mount.parent.clear();
  return all;
}

Status check_mounts(const std::vector<Mount>& mounts, const std::string& root_device) {
  for (const Mount& mount : mounts)
    if (mount.point.empty()) return done();
  for (const Mount& mount : mounts) {
    // On btrfs, stat(2) returns a device of the subvolume, which is never the device of the mount.
    const bool may_be_btrfs = mount.type == "btrfs" && root_device.starts_with("0:");
    if (mount.device == root_device || may_be_btrfs)
      return undetermined("`/` is not a mount point, and the mount " + mount.point + " can show a part of it",
                          "unmount it, or make the directory of the chroot a mount point before the chroot: `mount "
                          "--bind DIRECTORY DIRECTORY`");
  }
  return done();
}

bool is_at_or_below(const std::string& path, const std::string& directory) {
  return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
}

// Walks from mount to mount, as the kernel does. Of two mounts in the same mount, the one with the shorter path hides
// the other one.
std::string origin_of(const std::vector<Mount>& mounts, const std::string& path) {
  const Mount* nearest = nullptr;
  for (std::size_t levels = 0; levels < mounts.size(); ++levels) {
    const std::string above = nearest == nullptr ? "" : nearest->id;
    const Mount* next = nullptr;
    for (const Mount& mount : mounts)
      if (mount.parent == above && is_at_or_below(path, mount.point) &&
          (next == nullptr || mount.point.size() < next->point.size()))
        next = &mount;
    if (next == nullptr) break;
    nearest = next;
  }
  return nearest == nullptr ? path : nearest->origin + path.substr(nearest->point.size());
}

}  // namespace band::client
