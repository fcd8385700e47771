#include "client/platform/mounts.h"

#include <cstddef>
#include <fstream>
#include <iterator>
#include <sstream>

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

}  // namespace

#ifdef __APPLE__

std::vector<Mount> mounts() { return {}; }

#else

std::vector<Mount> mounts() {
  std::ifstream mountinfo("/proc/self/mountinfo");
  return parse_mounts({std::istreambuf_iterator<char>(mountinfo), {}});
}

#endif

std::vector<Mount> parse_mounts(const std::string& mountinfo) {
  std::vector<Mount> all;
  std::istringstream lines(mountinfo);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string id, parent, device, root, point;
    if (fields >> id >> parent >> device >> root >> point) all.push_back({unescaped(point), device + unescaped(root)});
  }
  return all;
}

bool is_at_or_below(const std::string& path, const std::string& directory) {
  return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
}

std::string origin_of(const std::vector<Mount>& mounts, const std::string& path) {
  const Mount* nearest = nullptr;
  for (const Mount& mount : mounts)
    if (is_at_or_below(path, mount.point) && (nearest == nullptr || mount.point.size() >= nearest->point.size()))
      nearest = &mount;  // a later mount at the same point hides an earlier one
  return nearest == nullptr ? path : nearest->origin + path.substr(nearest->point.size());
}

}  // namespace band::client
