#include "client/workspace/git.h"

#include <algorithm>
#include <cerrno>
#include <map>

#include "schemas/core/file_names.h"

namespace band::client {
namespace {

struct Directory {
  GitNames names;
  bool on_disk = false;  // it was a repository before the write-back
};

Status add_from_disk(const Tree& tree, const std::string& path, GitNames& names) {
  int err = 0;
  const Fd directory = tree.open_directory(path, err);
  if (!directory && err == ENOENT) return done();  // the write-back creates it
  const auto entries = directory ? list_directory(directory.get(), err) : std::nullopt;
  if (!entries)
    return Error{.code = Code::PermissionDenied,
                 .doing = "cannot list directory " + (path.empty() ? "." : path),
                 .err = err,
                 .hint = "make it readable for your user"};
  for (const std::string& entry : *entries) {
    struct ::stat status = {};
    if (!GitNames::counts(entry)) continue;
    names.add(entry,
              ::fstatat(directory.get(), entry.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode));
  }
  return done();
}

Error refused(const std::string& directory, const std::string& file, bool on_disk) {
  const std::string shown = directory.empty() ? "the workspace itself" : "`" + directory + "`";
  if (on_disk)
    return Error{.code = Code::PermissionDenied,
                 .doing = file + " is in a git repository (" + shown + "), to which band never writes",
                 .hint = "let the script write outside the repository, or name a directory in it with --workspace"};
  return Error{.code = Code::PermissionDenied,
               .doing = file + " would make " + shown +
                        " a git repository: HEAD together with objects and refs, or with commondir",
               .hint =
                   "git runs commands that a repository's config names: let the script use other names, or put "
                   "these files into different directories"};
}

// On a network share that treats `\` as a separator, such a name is a path: `x\HEAD` is part of a repository `x`. The
// other entries of `x` exist only on the share, so such a part alone is refused.
bool is_part_behind_backslash(std::string_view path) {
  for (std::size_t at = path.find('\\'); at != std::string_view::npos; at = path.find('\\', at + 1)) {
    if (GitNames::counts(path.substr(at + 1, path.find_first_of("/\\", at + 1) - at - 1))) return true;
  }
  return false;
}

}  // namespace

bool GitNames::counts(std::string_view name) {
  // Excludes most names of a large directory by their first letter: may_be() ignores blanks before it.
  const std::size_t first = std::min(name.find_first_not_of(' '), name.size());
  const bool is_ascii =
      std::all_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (is_ascii && std::string_view("hHoOrRcC").find(name.substr(first, 1)) == std::string_view::npos) return false;
  for (const std::string_view part : {"head", "objects", "refs", "commondir"})
    if (may_be(name, part)) return true;
  return false;
}

void GitNames::add(std::string_view name, bool is_directory) {
  if (!is_directory && may_be(name, "head")) head_ = true;
  if (!is_directory && may_be(name, "commondir")) commondir_ = true;
  if (may_be(name, "objects")) objects_ = true;
  if (may_be(name, "refs")) refs_ = true;
}

Status check_git_directories(const Tree& tree, const std::vector<StoreItem>& items) {
  std::map<std::string, Directory> directories;
  for (const StoreItem& item : items) {
    const std::string& path = item.file->path;
    if (is_part_behind_backslash(path)) return refused(path.substr(0, path.find('\\')), path, false);
    for (std::size_t start = 0; start != std::string::npos;) {
      const std::size_t end = path.find('/', start);
      const std::string above = start == 0 ? "" : path.substr(0, start - 1);
      const auto [at, fresh] = directories.try_emplace(above);
      if (fresh) {
        BAND_CHECK(add_from_disk(tree, above, at->second.names));
        at->second.on_disk = at->second.names.repository();
      }
      at->second.names.add(std::string_view(path).substr(start, end - start), end != std::string::npos);
      if (at->second.names.repository()) return refused(above, path, at->second.on_disk);
      start = end == std::string::npos ? end : end + 1;
    }
  }
  return done();
}

}  // namespace band::client
