#include "server/view/workspace.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>
#include <optional>

#include "schemas/rules/path_rules.h"
#include "schemas/rules/text.h"
#include "schemas/wire/files.h"
#include "server/base/io.h"
#include "server/view/mounts.h"

namespace band::view {
namespace {

constexpr const char* kLayer = "view";
constexpr std::size_t kMaxNamed = 100;
// Maximum depth of directories. A walk keeps one descriptor open for each level.
constexpr int kMaxDepth = 128;

constexpr const char* kUnsafeName = "its name cannot be sent (control characters, not UTF-8, or too long)";

// What a file is that is not a regular file.
std::string kind_of(const struct stat& info) {
  if (S_ISLNK(info.st_mode)) return "it is a symbolic link";
  if (S_ISDIR(info.st_mode)) return "the directory is too deep";
  return S_ISFIFO(info.st_mode) ? "it is a FIFO" : S_ISSOCK(info.st_mode) ? "it is a socket" : "it is a device";
}

Error own_error(Code code, std::string doing, int err = 0, std::string hint = "") {
  return Error{.code = code, .doing = std::move(doing), .err = err, .hint = std::move(hint)};
}

// Makes the directories above `path` and returns the last one.
Result<base::Fd> make_parents(int directory, const std::string& path, Who owner) {
  BAND_TRY(base::Fd at, open_beneath(directory, ".", O_RDONLY | O_DIRECTORY));
  std::size_t from = 0;
  for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', from)) {
    const std::string name = path.substr(from, slash - from);
    from = slash + 1;
    const bool made = ::mkdirat(at.get(), name.c_str(), 0755) == 0;
    if (!made && errno != EEXIST) return layer_error(kLayer, "cannot make " + path.substr(0, slash), errno);
    BAND_TRY(base::Fd next, open_beneath(at.get(), name, O_RDONLY | O_DIRECTORY));
    if (made && ::fchown(next.get(), owner.uid, owner.gid) != 0)
      return layer_error(kLayer, "cannot chown " + name, errno);
    at = std::move(next);
  }
  return at;
}

// git finds no repository if one of these directories is missing. They are empty after `git gc`, and in a repository
// without commits; a request has no empty directories.
constexpr const char* kGitDirectories[] = {".git/refs", ".git/objects"};
constexpr std::string_view kGitHead = ".git/HEAD";

// Returns the directory of `.git` with a slash at its end ("" for the workspace itself), for the path of a HEAD.
std::optional<std::string> above_git(const std::string& path) {
  if (!path.ends_with(kGitHead)) return std::nullopt;
  std::string above = path.substr(0, path.size() - kGitHead.size());
  if (!above.empty() && !above.ends_with('/')) return std::nullopt;  // "x.git/HEAD"
  return above;
}

Status make_git_directories(int directory, const std::string& head, Who owner) {
  for (const std::string& path : git_directories(head)) {
    struct stat info {};
    if (::fstatat(directory, path.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) continue;  // also a file of the caller
    auto made = make_parents(directory, path + "/", owner);
    if (!made.ok()) return std::move(made).error();
  }
  return done();
}

Result<ino_t> write_one(int directory, const ShippedFile& file, Who owner) {
  if (!is_safe_relative_path(file.path)) return own_error(Code::BadRequest, "files: not a safe path: " + file.path);
  BAND_TRY(const base::Fd parent, make_parents(directory, file.path, owner));
  const std::string name = file.path.substr(file.path.rfind('/') + 1);
  base::Fd fd(::openat(parent.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd && errno == EEXIST) return own_error(Code::BadRequest, "files: " + file.path + " is listed twice");
  if (!fd) return layer_error(kLayer, "cannot create " + file.path, errno);
  const Status written = base::write_all(fd.get(), file.content);
  if (!written.ok() && written.error().err == ENOSPC)
    return own_error(Code::LimitExceeded,
                     "the workspace's files do not fit into limit.maxDiskBytes; each file uses whole pages of 4 KiB", 0,
                     "allow fewer files in allow.read, or raise limit.maxDiskBytes up to the server's maximum");
  BAND_CHECK(written);
  // Setuid and setgid bits are dropped.
  if (::fchown(fd.get(), owner.uid, owner.gid) != 0 || ::fchmod(fd.get(), file.mode & 0777) != 0)
    return layer_error(kLayer, "cannot change the owner and mode of " + file.path, errno);
  if (file.modified_us) {
    const std::timespec times[] = {{0, UTIME_NOW}, wire::modified_time(*file.modified_us)};
    if (::futimens(fd.get(), times) != 0) return layer_error(kLayer, "cannot set the time of " + file.path, errno);
  }
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return layer_error(kLayer, "cannot stat " + file.path, errno);
  return info.st_ino;
}

// Compares without reading the whole file: the content can be as large as the request.
Result<bool> has_content(int fd, std::string_view content, const std::string& path) {
  std::vector<char> block(std::min<std::size_t>(content.size(), 256u << 10));
  for (std::size_t at = 0; at < content.size();) {
    const ssize_t n = ::pread(fd, block.data(), std::min(block.size(), content.size() - at), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return layer_error(kLayer, "cannot read " + path, errno);
    if (n == 0 ||
        content.substr(at, static_cast<std::size_t>(n)) != std::string_view(block.data(), static_cast<std::size_t>(n)))
      return false;
    at += static_cast<std::size_t>(n);
  }
  return true;
}

class Collector {
 public:
  Collector(const Copied& copied, const Domain& write, PathRules rules, std::int64_t max_bytes, std::int64_t max_files)
      : rules_(std::move(rules)),
        own_layers_(std::max<std::size_t>(write.opened.size() - write.of_ceiling, 1)),
        own_denies_(write.deny.size() - write.denied_by_ceiling),
        max_bytes_(max_bytes),
        max_files_(max_files) {
    for (std::size_t i = 0; i < copied.files.size(); ++i) {
      shipped_[copied.files[i].path] = {&copied.files[i], copied.inodes.at(i)};
      names_now_[copied.inodes.at(i)];
    }
  }

  Status directory(int parent, const std::string& name, const std::string& path, int depth) {
    base::Fd fd(::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!fd) return layer_error(kLayer, "cannot open the directory " + path, errno);
    std::unique_ptr<DIR, int (*)(DIR*)> dir(::fdopendir(fd.release()), ::closedir);
    if (!dir) return layer_error(kLayer, "cannot list " + path, errno);
    std::vector<std::string> names;
    while (const dirent* entry = ::readdir(dir.get())) {
      const std::string_view child = entry->d_name;
      if (child != "." && child != "..") names.emplace_back(child);
    }
    if (names.empty() && !path.empty()) empty_directory(path);
    std::sort(names.begin(), names.end());  // a deterministic order
    for (const std::string& child : names) {
      const std::string full = path.empty() ? child : std::string(path).append("/").append(child);
      struct stat info {};
      if (::fstatat(::dirfd(dir.get()), child.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
        return layer_error(kLayer, "cannot stat " + full, errno);
      if (S_ISDIR(info.st_mode) && depth < kMaxDepth)
        BAND_CHECK(directory(::dirfd(dir.get()), child, full, depth + 1));
      else if (S_ISREG(info.st_mode))
        BAND_CHECK(file(::dirfd(dir.get()), child, full, info));
      else
        other(full, info);
    }
    return done();
  }

  // Called after the walk. A shipped file whose name the walk did not find was removed or renamed. Names of files come
  // before those of empty directories, because a list has only kMaxNamed names.
  Changes release() {
    for (const std::string& path : empty_)
      refuse(path, is_safe_relative_path(path.substr(0, path.size() - 1)) ? "it is an empty directory" : kUnsafeName);
    for (const auto& [path, shipped] : shipped_) {
      if (shipped.met) continue;
      const std::string& now = names_now_[shipped.inode];
      if (now.empty())
        name(path, changes_.removed);
      else
        name({path, now}, changes_.renamed);
    }
    return std::move(changes_);
  }

 private:
  struct Shipped {
    ShippedFile* file = nullptr;
    ino_t inode = 0;
    bool met = false;  // the walk found an entry with this name that is not a directory
  };

  template <class Entry>
  void name(Entry entry, std::vector<Entry>& list) {
    if (list.size() < kMaxNamed)
      list.push_back(std::move(entry));
    else
      ++changes_.unnamed;
  }

  Shipped* meet(const std::string& path) {
    const auto found = shipped_.find(path);
    if (found == shipped_.end()) return nullptr;
    found->second.met = true;
    return &found->second;
  }

  // Stores names only of shipped files, and only valid paths: a script can make a hundred thousand long names.
  void note_new_name(ino_t inode, const std::string& path) {
    const auto found = names_now_.find(inode);
    if (found != names_now_.end() && is_safe_relative_path(path)) found->second = path;
  }

  // For a new file, only the execute bits are compared, because the other bits of its mode depend on the umask. A file
  // that replaced a shipped file by a rename is a new file, too.
  static bool other_mode(const Shipped* before, const struct stat& info) {
    const mode_t was = before != nullptr ? before->file->mode & 0777 : 0644;
    const bool same_file = before != nullptr && before->inode == info.st_ino;
    return ((info.st_mode ^ was) & (same_file ? 07777 : 0111)) != 0;
  }

  // A directory of shipped files is not reported: its files are, as removed or renamed.
  void empty_directory(const std::string& path) {
    const std::string below = path + "/";
    const auto first = shipped_.lower_bound(below);
    if (first != shipped_.end() && first->first.starts_with(below)) return;
    for (const char* name : kGitDirectories)  // made by write_files()
      if (const std::string head = path.substr(0, path.rfind('/')) + "/HEAD";
          path.ends_with(name) && above_git(head) && shipped_.contains(head))
        return;
    if (empty_.size() < kMaxNamed)
      empty_.push_back(below);
    else
      ++changes_.unnamed;
  }

  void other(const std::string& path, const struct stat& info) {
    meet(path);
    refuse(path, is_safe_relative_path(path) ? kind_of(info) : kUnsafeName);
  }

  void refuse(const std::string& path, std::string reason) {
    if (changes_.not_written.size() < kMaxNamed && !reason.empty())
      changes_.refused.push_back({path, std::move(reason)});
    name(path, changes_.not_written);
  }

  // A changed regular file that does not come back. The client itself names the rules of the request. The reason is
  // looked up only if it is reported: the script can choose paths for which this needs almost a millisecond.
  void refuse(const std::string& path) {
    const bool named = changes_.not_written.size() < kMaxNamed;
    refuse(path, !named ? "" : is_safe_relative_path(path) ? by_ceiling(path) : kUnsafeName);
  }

  // Returns the rule of the ceiling that refuses the file; "" if a rule of the request refuses it.
  std::string by_ceiling(const std::string& path) const {
    const PathVerdict verdict = rules_.judge(path, false);
    if (std::string_view(verdict.section) == "deny")
      return verdict.index < own_denies_ ? ""
                                         : "the server's ceiling denies it: deny.write " + shown_rule(*verdict.rule);
    return verdict.index < own_layers_ ? "" : "no rule of allow.write in the server's ceiling matches it";
  }

  Status file(int parent, const std::string& child, const std::string& path, const struct stat& info) {
    const Shipped* before = meet(path);
    const auto size = static_cast<std::int64_t>(info.st_size);
    const bool same_size = before != nullptr && size == static_cast<std::int64_t>(before->file->content.size());
    // A script can make paths of any length; the rules are compared only with those that can be sent.
    const bool comes_back = is_safe_relative_path(path) && rules_.opens(path, false);
    if (before == nullptr) note_new_name(info.st_ino, path);
    if ((before != nullptr || comes_back) && other_mode(before, info)) name(path, changes_.mode_changed);
    if (!comes_back && !same_size) return refuse(path), done();
    if (!same_size && !count(size)) return done();
    if (changes_.too_much) return done();
    BAND_TRY(base::Fd fd, open_beneath(parent, child, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
    if (same_size) {
      BAND_TRY(const bool same, has_content(fd.get(), before->file->content, path));
      std::string().swap(before->file->content);
      if (same) return changes_.unchanged.push_back(path), done();
    }
    if (!comes_back) return refuse(path), done();
    if (same_size && !count(size)) return done();
    BAND_TRY(std::string content, base::read_all(fd.get(), static_cast<std::size_t>(size)));
    changes_.files.push_back(
        {path, before != nullptr ? before->file->mode : 0644u, std::move(content), wire::modified_us(info.st_mtim)});
    return done();
  }

  // Counts a changed file of this size. Returns false when a maximum is exceeded; the file is then only counted, and so
  // are all later files.
  bool count(std::int64_t size) {
    changes_.bytes = std::min(changes_.bytes + std::min(size, kMostBytes), kMostBytes);
    ++changes_.count;
    if (changes_.bytes > max_bytes_ || changes_.count > max_files_) {
      changes_.too_much = true;
      changes_.files.clear();
    }
    return !changes_.too_much;
  }

  std::map<std::string, Shipped> shipped_;
  std::vector<std::string> empty_;  // directories, with `/` at the end
  // Inode of a shipped file -> a new name of this file; "" while no new name was found.
  std::map<ino_t, std::string> names_now_;
  PathRules rules_;
  const std::size_t own_layers_,
      own_denies_;  // how many in rules_ come from the request; the others come from the ceiling
  const std::int64_t max_bytes_, max_files_;
  Changes changes_;
};

}  // namespace

std::vector<std::string> git_directories(const std::string& path) {
  std::vector<std::string> directories;
  if (const auto above = above_git(path))
    for (const char* name : kGitDirectories) directories.push_back(*above + name);
  return directories;
}

Result<std::vector<ino_t>> write_files(int directory, const std::vector<ShippedFile>& files, Who owner) {
  std::vector<ino_t> inodes;
  inodes.reserve(files.size());
  for (const ShippedFile& file : files) {
    BAND_TRY(const ino_t inode, write_one(directory, file, owner));
    inodes.push_back(inode);
  }
  for (const ShippedFile& file : files) BAND_CHECK(make_git_directories(directory, file.path, owner));
  return inodes;
}

Result<Changes> collect_changes(int directory, const Copied& copied, const Domain& write, std::int64_t max_bytes,
                                std::int64_t max_files) {
  BAND_TRY(PathRules rules, PathRules::compile(write, PathRules::Use::Write));
  Collector collector(copied, write, std::move(rules), max_bytes, max_files);
  BAND_CHECK(collector.directory(directory, ".", "", 0));
  return collector.release();
}

Room room_left(int directory) {
  struct statfs info {};
  if (::fstatfs(directory, &info) != 0) return Room::Left;
  return info.f_bfree == 0 ? Room::NoBytes : info.f_ffree == 0 ? Room::NoFiles : Room::Left;
}

Result<std::string> read_result(int directory, const std::string& name, std::int64_t max_bytes) {
  BAND_TRY(base::Fd fd, open_beneath(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return layer_error(kLayer, "cannot stat " + name, errno);
  if (!S_ISREG(info.st_mode)) return own_error(Code::OutputInvalid, name + " is not a regular file");
  if (info.st_size > max_bytes)
    return own_error(Code::LimitExceeded, name + " has " + std::to_string(info.st_size) +
                                              " bytes; limit.maxOutputBytes is " + std::to_string(max_bytes));
  return base::read_all(fd.get(), static_cast<std::size_t>(max_bytes));
}

}  // namespace band::view
