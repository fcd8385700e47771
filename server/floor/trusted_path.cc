#include "server/floor/trusted_path.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace band::floor {
namespace {

constexpr const char* kLayer = "floor";
constexpr const char* kConfigLayer = "config";
constexpr int kMaxLinks = 40;  // the kernel's limit, path_resolution(7)

Error not_roots_alone(const std::string& path, const struct stat& info) {
  const bool owner = info.st_uid != 0;
  // A directory with the sticky bit, such as /tmp, is writable for all users on purpose, so the hint does not suggest
  // chmod.
  const bool shared = S_ISDIR(info.st_mode) && (info.st_mode & S_ISVTX) != 0;
  return layer_error(
      kLayer, "cannot use " + path + ": " + (owner ? "root does not own it" : "users other than root may write to it"),
      EPERM,
      shared  ? "use a directory where only root can write: " + path + " is shared by all users"
      : owner ? "chown root " + path
              : "chmod go-w " + path);
}

using Look = Result<struct stat> (*)(const std::string& path);

// lstat(2) and the checks of follow_trusted(). The mode of a link is not checked: its directory's mode decides.
Result<struct stat> look_at(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return layer_error(kLayer, "cannot stat " + path, errno);
  const bool link = S_ISLNK(info.st_mode);
  if (info.st_uid != 0 || (!link && (info.st_mode & (S_IWGRP | S_IWOTH)) != 0)) return not_roots_alone(path, info);
  const mode_t wanted = S_ISDIR(info.st_mode) ? S_IXOTH : S_IROTH;
  if (!link && (info.st_mode & wanted) == 0)
    return layer_error(kLayer, "cannot use " + path + ": not every user may access it", EACCES,
                       "chmod o+" + std::string(S_ISDIR(info.st_mode) ? "rx " : "r ") + path);
  return info;
}

// lstat(2) and the checks of check_own_path(). In a directory with the sticky bit, no other user can replace an entry
// whose owner is root or this user, and look_at_own() checks the owner of the entry.
Result<struct stat> look_at_own(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return layer_error(kConfigLayer, "cannot stat " + path, errno);
  const bool owned = info.st_uid == 0 || info.st_uid == ::geteuid();
  const bool sticky = S_ISDIR(info.st_mode) && (info.st_mode & S_ISVTX) != 0;
  const bool shared = !S_ISLNK(info.st_mode) && !sticky && (info.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  if (owned && !shared) return info;
  const std::string owner = std::to_string(::geteuid());
  return Error{.code = Code::PermissionDenied,
               .layer = kConfigLayer,
               .doing = path +
                        (owned ? " may be changed by other users" : " belongs to user " + std::to_string(info.st_uid)) +
                        ", so the operator's settings are not safe from changes",
               .hint = (owned ? "chmod go-w " : "chown -h " + owner + " ") + path +
                       ", if you trust the content of the configuration"};
}

Result<std::string> read_link(const std::string& path) {
  char buffer[PATH_MAX];
  const ssize_t size = ::readlink(path.c_str(), buffer, sizeof buffer);
  if (size < 0 || size == sizeof buffer) return layer_error(kLayer, "cannot read the link " + path, errno);
  return std::string(buffer, static_cast<std::size_t>(size));
}

// Removes the next name from `rest` and returns it.
std::string take_name(std::string& rest) {
  const std::size_t from = rest.find_first_not_of('/');
  if (from == std::string::npos) {
    rest.clear();
    return "";
  }
  const std::size_t to = rest.find('/', from);
  std::string name = rest.substr(from, to == std::string::npos ? to : to - from);
  rest = to == std::string::npos ? "" : rest.substr(to);
  return name;
}

bool is_last(const std::string& rest) { return rest.find_first_not_of('/') == std::string::npos; }

Result<TrustedPath> follow(const std::string& path, Look look) {
  TrustedPath found;
  BAND_TRY(const struct stat root, look("/"));
  found.mode = root.st_mode;
  std::string rest = path;  // the part of the path that is not followed yet; relative to found.real
  int links = 0;
  for (std::string name = take_name(rest); !name.empty(); name = take_name(rest)) {
    if (name == ".") continue;
    if (name == "..") {
      found.real.erase(found.real.empty() ? 0 : found.real.rfind('/'));
      continue;
    }
    const std::string here = found.real + "/" + name;
    BAND_TRY(const struct stat info, look(here));
    found.mode = info.st_mode;
    const bool last = is_last(rest);
    if (last && found.path.empty()) found.path = here;
    if (last && !found.links.empty()) found.links.back().target = here;
    if (!S_ISLNK(info.st_mode)) {
      found.real = here;
      continue;
    }
    if (++links > kMaxLinks) return layer_error(kLayer, "cannot follow " + path, ELOOP);
    BAND_TRY(const std::string target, read_link(here));
    if (last) found.links.push_back({here, ""});
    if (target.front() == '/') found.real.clear();
    rest = target + rest;
  }
  if (found.real.empty()) found.real = "/";
  if (found.path.empty()) found.path = found.real;  // the path ends in "." or ".."
  if (!found.links.empty() && found.links.back().target.empty()) found.links.back().target = found.real;
  return found;
}

}  // namespace

Result<TrustedPath> follow_trusted(const std::string& path) { return follow(path, look_at); }

Status check_own_path(const std::string& path) {
  const auto found = follow(path, look_at_own);
  return found.ok() ? done() : Status(found.error());
}

bool is_at_or_below(const std::string& path, const std::string& directory) {
  return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
}

}  // namespace band::floor
