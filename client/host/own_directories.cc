#include "client/host/own_directories.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "client/host/environment.h"
#include "schemas/core/file_names.h"

namespace band::client {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxDepth = 64;  // levels below a directory of band

FileId id_of(const struct ::stat& status) { return {status.st_dev, status.st_ino}; }

std::string parent_of(const std::string& path) {
  const std::string parent = fs::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

}  // namespace

std::vector<FileId> ids_upwards(int fd, int& err) {
  std::vector<FileId> ids;
  struct ::stat status = {};
  int failed = ::stat("/", &status);
  const FileId root = id_of(status);
  // A bind mount of a directory below itself has the id of the directory above it, so only `/` ends the loop.
  for (std::string path = "."; failed == 0; path = path == "." ? ".." : path + "/..") {
    failed = ::fstatat(fd, path.c_str(), &status, 0);
    if (failed != 0) break;
    ids.push_back(id_of(status));
    if (ids.back() == root) return ids;
  }
  err = errno;
  return {};
}

OwnDirectories OwnDirectories::find() {
  OwnDirectories own;
  own.add(state_directory());
  own.add(config_directory());
  own.add(shipped_root());
  const std::string skills = state_directory() + "/skills";
  own.add(skills);  // it can be a link
  std::error_code error;
  for (fs::directory_iterator entry(skills, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_symlink(ignored)) own.add(entry->path().string());
  }
  std::sort(own.below_.begin(), own.below_.end());
  return own;
}

void OwnDirectories::add(const std::string& path) {
  if (path.empty()) return;
  Root root{{}, {}, path};
  std::string existing = path;
  struct ::stat status = {};
  while (::stat(existing.c_str(), &status) != 0) {
    const std::string parent = parent_of(existing);
    if (parent == existing) return;
    root.rest.insert(root.rest.begin(), collision_key(fs::path(existing).filename().string()));
    existing = parent;
  }
  root.nearest = id_of(status);
  if (root.rest.empty() && S_ISDIR(status.st_mode)) add_below(AT_FDCWD, path, path, 0);
  roots_.push_back(std::move(root));
}

// Skips directories that cannot be listed.
void OwnDirectories::add_below(int parent, const std::string& name, const std::string& path, int depth) {
  const int follow = depth == 0 ? 0 : O_NOFOLLOW;
  const Fd fd(::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | follow));
  struct ::stat status = {};
  if (!fd || ::fstat(fd.get(), &status) != 0) return;
  if (depth > 0) below_.emplace_back(id_of(status), path);
  int err = 0;
  const auto entries = depth < kMaxDepth ? list_directory(fd.get(), err) : std::nullopt;
  if (!entries) return;
  for (const std::string& entry : *entries)
    if (::fstatat(fd.get(), entry.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode))
      add_below(fd.get(), entry, join_path(path, entry), depth + 1);
}

std::string OwnDirectories::containing(const Tree& tree, const std::string& inside, int& err) const {
  // The names from the deepest directory that exists to `inside`, and below them the names of that directory's path.
  std::vector<std::string> names = split_path(tree.path() + "/" + inside);
  for (std::string& name : names) name = collision_key(name);
  std::string at = inside;
  Fd directory = tree.open_directory(at, err);
  std::size_t missing = 0;
  while (!directory && err == ENOENT && !at.empty()) {
    at = at.find('/') == std::string::npos ? "" : at.substr(0, at.rfind('/'));
    ++missing;
    err = 0;
    directory = tree.open_directory(at, err);
  }
  if (!directory) return "";
  err = 0;
  const std::vector<FileId> ids = ids_upwards(directory.get(), err);
  for (std::size_t level = 0; level < ids.size(); ++level) {
    const std::size_t beneath = std::min(missing + level, names.size());  // how many names are below ids[level]
    const auto first = names.end() - static_cast<std::ptrdiff_t>(beneath);
    for (const Root& root : roots_)
      if (root.nearest == ids[level] && root.rest.size() <= beneath &&
          std::equal(root.rest.begin(), root.rest.end(), first))
        return root.path;
    const auto found = std::lower_bound(below_.begin(), below_.end(), std::pair(ids[level], std::string()));
    if (found != below_.end() && found->first == ids[level]) return found->second;
  }
  return "";
}

}  // namespace band::client
