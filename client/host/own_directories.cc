#include "client/host/own_directories.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "client/host/environment.h"
#include "schemas/core/file_names.h"

namespace band::client {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxLinks = 40;  // as in the Linux kernel

FileId id_of(const struct ::stat& status) { return {status.st_dev, status.st_ino}; }

struct Resolved {
  std::string existing;              // without links and without `/` at the end
  std::vector<std::string> missing;  // the names below `existing`
};

// Follows the links of a path that need not exist. `missing/../x` is `x`. Returns nullopt if there are too many links.
std::optional<Resolved> resolve(const std::string& path) {
  std::error_code failed;
  Resolved resolved;
  auto& [existing, missing] = resolved;
  std::vector<std::string> ahead;  // the last name is the next one
  const auto follow = [&](const std::string& names) {
    const std::vector<std::string> parts = split_path(names);
    ahead.insert(ahead.end(), parts.rbegin(), parts.rend());
  };
  follow(fs::absolute(path, failed).string());
  for (int links = 0; !ahead.empty();) {
    const std::string name = ahead.back(), next = std::string(existing).append("/").append(name);
    ahead.pop_back();
    struct ::stat status = {};
    if (name == ".") continue;
    if (name == "..") {
      if (!missing.empty())
        missing.pop_back();
      else if (!existing.empty())
        existing.resize(existing.rfind('/'));
    } else if (!missing.empty() || ::lstat(next.c_str(), &status) != 0) {
      missing.push_back(name);
    } else if (S_ISLNK(status.st_mode)) {
      const fs::path target = fs::read_symlink(next, failed);
      if (failed || ++links > kMaxLinks) return std::nullopt;
      if (target.is_absolute()) existing.clear();
      follow(target.string());
    } else {
      existing = next;
    }
  }
  return resolved;
}

}  // namespace

std::vector<FileId> ids_upwards(int fd, int& err) {
  std::vector<FileId> ids;
  struct ::stat status = {};
  int failed = ::stat("/", &status);
  const FileId root = id_of(status);
  // A bind mount of a directory below itself has the id of the directory above it, so only `/` ends the loop.
  for (std::string path = "."; failed == 0; path == "." ? path.assign("..") : path.append("/..")) {
    failed = ::fstatat(fd, path.c_str(), &status, 0);
    if (failed != 0) break;
    ids.push_back(id_of(status));
    if (ids.back() == root) return ids;
  }
  err = errno;
  return {};
}

void Position::enter(const std::string& name) {
  names.push_back(collision_key(name));
  ++missing;
  origin += "/" + name;
}

void Position::leave() {
  names.pop_back();
  --missing;
  origin.resize(origin.rfind('/'));
}

std::optional<std::size_t> OwnPlace::levels_above(const Position& position) const {
  std::optional<std::size_t> found;
  const std::vector<std::string>& names = position.names;
  for (std::size_t level = 0; level < position.ids.size(); ++level) {
    const std::size_t beneath = std::min(position.missing + level, names.size());  // how many names are below the id
    if (nearest == position.ids[level] && rest.size() <= beneath &&
        std::equal(rest.begin(), rest.end(), names.end() - static_cast<std::ptrdiff_t>(beneath)))
      found = level;
  }
  // None of band's directories is above a part of it that is mounted elsewhere.
  const auto is_origin = [&](const std::string& origin) { return is_at_or_below(position.origin, origin); };
  if (!found && std::any_of(origins.begin(), origins.end(), is_origin)) found = 0;
  return found;
}

Result<OwnDirectories> OwnDirectories::find() {
  OwnDirectories own;
  BAND_TRY(own.mounts_, mounts());
  const std::string state = state_directory(), config = config_directory(), shipped = shipped_root();
  for (const std::string& directory : {state, config, shipped}) own.add(directory);
  for (const std::string& directory : {state, config, config + "/skills", config + "/targets"})
    own.add_links(directory, false);
  for (const std::string& directory : {state + "/skills", shipped}) own.add_links(directory, true);
  return own;
}

void OwnDirectories::add(const std::string& path) {
  if (auto place = place_of(path)) places_.push_back(std::move(*place));
}

// Skips directories that cannot be listed.
void OwnDirectories::add_links(const std::string& directory, bool of_skills) {
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code failed;
    const fs::path text = entry->path() / "SKILL.md";
    if (of_skills && fs::is_symlink(text, failed)) add(text.string());
    if (!entry->is_symlink(failed)) continue;
    const auto place = place_of(entry->path().string());
    if (!place) continue;
    if (of_skills && place->rest.empty()) linked_skills_.push_back(place->real);
    places_.push_back(*place);
  }
}

std::optional<OwnPlace> OwnDirectories::place_of(const std::string& path) const {
  if (path.empty()) return std::nullopt;
  const auto resolved = resolve(path);
  if (!resolved) return std::nullopt;
  OwnPlace place;
  place.path = path;
  place.real = resolved->existing;
  for (const std::string& name : resolved->missing) place.rest.push_back(collision_key(name));
  struct ::stat status = {};
  if (::stat(place.real.empty() ? "/" : place.real.c_str(), &status) != 0) return std::nullopt;
  if (!S_ISDIR(status.st_mode)) {
    const std::size_t name = place.real.rfind('/') + 1;
    place.is_file = place.rest.empty();
    place.rest.insert(place.rest.begin(), collision_key(place.real.substr(name)));
    if (::stat(place.real.substr(0, name).c_str(), &status) != 0) return std::nullopt;
  }
  place.nearest = id_of(status);
  if (!place.rest.empty()) return place;
  place.origins.push_back(origin_of(mounts_, place.real));
  for (const Mount& mount : mounts_)
    if (is_at_or_below(mount.point, place.real)) place.origins.push_back(mount.origin);
  return place;
}

Position OwnDirectories::position_of(const Tree& tree, const std::string& directory, int& err) const {
  Position position;
  const std::vector<std::string> parts = split_path(directory);
  Fd deepest = tree.open_directory("", err);
  for (std::size_t i = 0; deepest && i < parts.size(); ++i) {
    Fd next(::openat(deepest.get(), parts[i].c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next && errno == ENOENT) {
      position.missing = parts.size() - i;
      break;
    }
    if (!next) err = errno;
    deepest = std::move(next);
  }
  if (!deepest) return position;
  position.ids = ids_upwards(deepest.get(), err);
  const std::string path = (tree.path() == "/" ? "" : tree.path()) + (directory.empty() ? "" : "/" + directory);
  position.origin = origin_of(mounts_, path);
  for (const std::string& name : split_path(path)) position.names.push_back(collision_key(name));
  return position;
}

const OwnPlace* OwnDirectories::containing(const Position& position) const {
  const OwnPlace* outermost = nullptr;
  std::size_t most = 0;
  for (const OwnPlace& place : places_) {
    const auto levels = place.levels_above(position);
    if (!levels || *levels < most) continue;
    outermost = &place;
    most = *levels;
  }
  return outermost;
}

}  // namespace band::client
