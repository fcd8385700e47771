#include "server/view/homes.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "schemas/wire/wire.h"
#include "server/base/fd.h"

namespace band::view {
namespace {

constexpr std::size_t kMostNamed = 8;       // as many as a message can show
constexpr std::size_t kMostExamined = 500;  // entries; some milliseconds
constexpr int kMostDepth = 8;               // ~/.local/share/NAME/... needs five

// Programs write these without being asked, and callers do not miss them.
bool is_by_itself(std::string_view name) {
  static constexpr std::string_view kNames[] = {".cache", ".lesshst", ".npm", ".viminfo", ".wget-hsts"};
  static constexpr std::string_view kStarts[] = {".X", ".com.", ".org."};  // sockets and profiles of graphical programs
  return name.ends_with("_history") || std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames) ||
         std::any_of(std::begin(kStarts), std::end(kStarts),
                     [&](std::string_view start) { return name.starts_with(start); });
}

using List = std::unique_ptr<DIR, int (*)(DIR*)>;

// Opens a directory to list it; null if this is not possible.
List list_of(int parent, const std::string& name) {
  base::Fd fd(::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  List list(fd ? ::fdopendir(fd.get()) : nullptr, ::closedir);
  if (list) (void)fd.release();
  return list;
}

class Search {
 public:
  // `command`: the name of the command whose home it is, or "" for the home of the script, which is /tmp.
  explicit Search(std::vector<std::string>& found, std::string command = "")
      : found_(found), command_(std::move(command)) {}

  void directory(int parent, const std::string& name, const std::string& shown, int depth) {
    const List list = list_of(parent, name);
    while (const dirent* entry = list ? ::readdir(list.get()) : nullptr) {
      const std::string child = entry->d_name;
      if (child == "." || child == ".." || !counts(child, depth)) continue;
      if (found_.size() >= kMostNamed || ++examined_ > kMostExamined) return;
      struct stat info {};
      if (::fstatat(::dirfd(list.get()), child.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
      const std::string path = std::string(shown).append("/").append(child);
      if (S_ISDIR(info.st_mode) && depth < kMostDepth)
        directory(::dirfd(list.get()), child, path, depth + 1);
      else if (S_ISREG(info.st_mode) && is_safe_relative_path(path))
        found_.push_back(path);
    }
  }

 private:
  bool counts(const std::string& name, int depth) const {
    if (is_by_itself(name)) return false;
    if (command_.empty()) return depth > 0 || name.starts_with('.');  // other files in /tmp are temporary
    // Its temporary directory, and its own settings, such as ~/.config/gh and ~/.claude.json.
    return !(depth == 0 && name == "tmp") && name != command_ && !name.starts_with("." + command_);
  }

  std::vector<std::string>& found_;
  const std::string command_;
  std::size_t examined_ = 0;
};

}  // namespace

std::vector<std::string> home_files(int work) {
  std::vector<std::string> found;
  Search(found).directory(work, "tmp", "~", 0);
  const List homes = list_of(work, "home");
  while (const dirent* entry = homes ? ::readdir(homes.get()) : nullptr) {
    const std::string command = entry->d_name;
    if (command != "." && command != "..") Search(found, command).directory(::dirfd(homes.get()), command, "~", 0);
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace band::view
