#include "client/host/tree.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <deque>
#include <memory>

#include "client/platform/files.h"
#include "schemas/wire/files.h"

namespace band::client {
namespace {

constexpr int kMaxLinks = 40;  // as in the Linux kernel
constexpr int kDirectoryFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// Returns the target of a link, or nothing.
std::optional<std::string> link_target(int directory, const std::string& name) {
  std::string target(PATH_MAX, '\0');
  const ssize_t size = ::readlinkat(directory, name.c_str(), target.data(), target.size());
  if (size <= 0 || static_cast<std::size_t>(size) >= target.size()) return std::nullopt;
  target.resize(static_cast<std::size_t>(size));
  return target;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string path;
  for (const std::string& part : parts) path = join_path(path, part);
  return path;
}

}  // namespace

std::vector<std::string> split_path(std::string_view path) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start < path.size();) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    if (end > start) parts.emplace_back(path.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

std::string join_path(std::string_view directory, std::string_view name) {
  if (directory.empty()) return std::string(name);
  return std::string(directory) + "/" + std::string(name);
}

Result<Tree> Tree::open(const std::string& directory) {
  Tree tree;
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(directory.c_str(), nullptr), std::free);
  if (real == nullptr)
    return Error{.code = Code::Usage,
                 .doing = "cannot open directory " + directory,
                 .err = errno,
                 .hint = "name an existing directory"};
  tree.path_ = real.get();
  tree.root_ = Fd(::open(tree.path_.c_str(), kDirectoryFlags));
  if (!tree.root_)
    return Error{.code = Code::Usage,
                 .doing = "cannot open directory " + directory,
                 .err = errno,
                 .hint = "name a directory that can be read"};
  return tree;
}

Tree::Found Tree::resolve(std::string_view relative) const {
  const std::vector<std::string> words = split_path(relative);
  std::deque<std::string> ahead(words.begin(), words.end());
  std::vector<std::string> behind;
  int links = 0, err = 0;
  Fd directory = open_directory("", err);
  Found found{Kind::Directory, "", {}, 0};
  if (!directory || ::fstat(directory.get(), &found.status) != 0) return {Kind::Closed, "", {}, errno};
  while (!ahead.empty()) {
    const std::string name = ahead.front();
    ahead.pop_front();
    if (name == ".") continue;
    if (name == "..") {
      if (behind.empty()) return {Kind::Outside, "", {}, 0};
      behind.pop_back();
      directory = open_directory(joined(behind), err);
      if (!directory || ::fstat(directory.get(), &found.status) != 0) return {Kind::Closed, joined(behind), {}, err};
      found.kind = Kind::Directory;
      continue;
    }
    if (::fstatat(directory.get(), name.c_str(), &found.status, AT_SYMLINK_NOFOLLOW) != 0)
      return {errno == ENOENT || errno == ENOTDIR ? Kind::Missing : Kind::Closed, joined(behind), {}, errno};
    if (S_ISLNK(found.status.st_mode)) {
      if (++links > kMaxLinks) return {Kind::TooManyLinks, joined(behind), {}, ELOOP};
      const auto target = link_target(directory.get(), name);
      if (!target) return {Kind::Closed, joined(behind), {}, errno};
      std::string_view rest = *target;
      if (rest.starts_with('/')) {
        // An absolute link is inside only if it begins with the tree's own canonical path.
        const bool inside = rest.starts_with(path_) && (rest.size() == path_.size() || rest[path_.size()] == '/');
        if (!inside) return {Kind::Outside, "", {}, 0};
        rest.remove_prefix(path_.size());
        behind.clear();
        directory = open_directory("", err);
      }
      const std::vector<std::string> steps = split_path(rest);
      ahead.insert(ahead.begin(), steps.begin(), steps.end());
      found.kind = Kind::Directory;
      if (::fstat(directory.get(), &found.status) != 0) return {Kind::Closed, joined(behind), {}, errno};
      continue;
    }
    behind.push_back(name);
    if (S_ISDIR(found.status.st_mode)) {
      found.kind = Kind::Directory;
      // If the path ends here, the directory need not be opened.
      if (ahead.empty()) break;
      directory = Fd(::openat(directory.get(), name.c_str(), kDirectoryFlags));
      if (!directory) return {Kind::Closed, joined(behind), {}, errno};
      continue;
    }
    if (!ahead.empty()) return {Kind::Missing, joined(behind), {}, ENOTDIR};
    found.kind = S_ISREG(found.status.st_mode) ? Kind::File : Kind::Other;
  }
  found.path = joined(behind);
  return found;
}

Fd Tree::open_directory(std::string_view relative, int& err) const {
  Fd directory(::openat(root_.get(), ".", kDirectoryFlags));
  for (const std::string& name : split_path(relative)) {
    if (!directory) break;
    Fd next(::openat(directory.get(), name.c_str(), kDirectoryFlags));
    if (!next) err = errno;
    directory = std::move(next);
    if (!directory) return directory;
  }
  if (!directory) err = errno;
  return directory;
}

Fd Tree::make_directory(std::string_view relative, mode_t mode, std::vector<std::string>& made, std::string& at,
                        int& err) const {
  at.clear();
  Fd directory = open_directory("", err);
  for (const std::string& name : split_path(relative)) {
    if (!directory) break;
    at = join_path(at, name);
    if (::mkdirat(directory.get(), name.c_str(), mode) == 0) {
      made.push_back(at);
    } else if (errno != EEXIST) {
      err = errno;
      return Fd();
    }
    Fd next(::openat(directory.get(), name.c_str(), kDirectoryFlags));
    if (!next) err = errno;
    directory = std::move(next);
  }
  return directory;
}

std::optional<TreeFile> Tree::read(std::string_view relative, std::size_t max_bytes, int& err) const {
  const std::size_t slash = relative.rfind('/');
  const std::string_view parent = slash == std::string_view::npos ? "" : relative.substr(0, slash);
  const std::string name(slash == std::string_view::npos ? relative : relative.substr(slash + 1));
  const Fd directory = open_directory(parent, err);
  if (!directory) return std::nullopt;
  // O_NONBLOCK: opening a FIFO must not block.
  const Fd file(::openat(directory.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file) {
    err = errno;
    return std::nullopt;
  }
  return read_regular(file.get(), max_bytes, err);
}

std::optional<TreeFile> read_regular(int fd, std::size_t max_bytes, int& err) {
  struct ::stat status = {};
  if (::fstat(fd, &status) != 0) return err = errno, std::nullopt;
  if (!S_ISREG(status.st_mode)) return err = EINVAL, std::nullopt;
  if (static_cast<std::uint64_t>(status.st_size) > max_bytes) return err = EFBIG, std::nullopt;
  TreeFile file;
  file.mode = static_cast<std::uint32_t>(status.st_mode) & 0777;
  file.modified_us = wire::modified_us(modification_time(status));
  // One byte more than the size: a file that grows while it is read is noticed.
  file.content.resize(static_cast<std::size_t>(status.st_size) + 1);
  std::size_t size = 0;
  for (;;) {
    if (size == file.content.size()) {
      if (size > max_bytes) return err = EFBIG, std::nullopt;
      file.content.resize(std::min(size * 2, max_bytes + 1));
    }
    const ssize_t got = ::read(fd, file.content.data() + size, file.content.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return err = errno, std::nullopt;
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  if (size > max_bytes) return err = EFBIG, std::nullopt;
  file.content.resize(size);
  return file;
}

std::optional<std::vector<std::string>> list_directory(int fd, int& err, std::size_t most) {
  // A separate descriptor: closedir(3) closes it, and the read position is not shared.
  const int own = ::openat(fd, ".", kDirectoryFlags);
  DIR* directory = own < 0 ? nullptr : ::fdopendir(own);
  if (directory == nullptr) {
    err = errno;
    if (own >= 0) ::close(own);
    return std::nullopt;
  }
  std::vector<std::string> names;
  err = 0;
  while (names.size() < most) {
    errno = 0;
    const dirent* const entry = ::readdir(directory);
    err = errno;
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  ::closedir(directory);
  if (err != 0) return std::nullopt;
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace band::client
