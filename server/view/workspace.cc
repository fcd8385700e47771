#include "server/view/workspace.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>

#include "schemas/rules/path_rules.h"
#include "server/base/io.h"
#include "server/view/mounts.h"

namespace band::view {
namespace {

constexpr const char* kLayer = "view";
constexpr std::size_t kMaxNamed = 100;
// Each level of a walk holds a descriptor; no honest script nests deeper.
constexpr int kMaxDepth = 128;

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
    if (!made && errno != EEXIST) return layer_error(kLayer, "make " + path.substr(0, slash), errno);
    BAND_TRY(base::Fd next, open_beneath(at.get(), name, O_RDONLY | O_DIRECTORY));
    if (made && ::fchown(next.get(), owner.uid, owner.gid) != 0) return layer_error(kLayer, "chown " + name, errno);
    at = std::move(next);
  }
  return at;
}

Status write_one(int directory, const ShippedFile& file, Who owner) {
  if (!is_safe_relative_path(file.path)) return own_error(Code::BadRequest, "files: not a safe path: " + file.path);
  BAND_TRY(const base::Fd parent, make_parents(directory, file.path, owner));
  const std::string name = file.path.substr(file.path.rfind('/') + 1);
  base::Fd fd(::openat(parent.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd && errno == EEXIST) return own_error(Code::BadRequest, "files: " + file.path + " is there twice");
  if (!fd) return layer_error(kLayer, "create " + file.path, errno);
  const Status written = base::write_all(fd.get(), file.content);
  if (!written.ok() && written.error().err == ENOSPC)
    return own_error(Code::LimitExceeded, "the workspace files do not fit into limit.maxDiskBytes", 0,
                     "raise limit.maxDiskBytes, or open fewer files in allow.read");
  BAND_CHECK(written);
  // No setuid or setgid bit comes in either.
  if (::fchown(fd.get(), owner.uid, owner.gid) != 0 || ::fchmod(fd.get(), file.mode & 0777) != 0)
    return layer_error(kLayer, "give " + file.path + " to the slot", errno);
  return done();
}

class Collector {
 public:
  Collector(const std::vector<ShippedFile>& shipped, PathRules rules, std::int64_t max_bytes, std::int64_t max_files)
      : rules_(std::move(rules)), bytes_left_(max_bytes), files_left_(max_files) {
    for (const ShippedFile& file : shipped) shipped_[file.path] = &file;
  }

  Status directory(int parent, const std::string& name, const std::string& path, int depth) {
    base::Fd fd(::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!fd) return layer_error(kLayer, "open the directory " + path, errno);
    std::unique_ptr<DIR, int (*)(DIR*)> dir(::fdopendir(fd.release()), ::closedir);
    if (!dir) return layer_error(kLayer, "list " + path, errno);
    std::vector<std::string> names;
    while (const dirent* entry = ::readdir(dir.get())) {
      const std::string_view child = entry->d_name;
      if (child != "." && child != "..") names.emplace_back(child);
    }
    std::sort(names.begin(), names.end());  // the same order on every run
    for (const std::string& child : names) {
      const std::string full = path.empty() ? child : path + "/" + child;
      struct stat info {};
      if (::fstatat(::dirfd(dir.get()), child.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
        return layer_error(kLayer, "stat " + full, errno);
      if (S_ISDIR(info.st_mode) && depth < kMaxDepth)
        BAND_CHECK(directory(::dirfd(dir.get()), child, full, depth + 1));
      else if (S_ISREG(info.st_mode))
        BAND_CHECK(file(::dirfd(dir.get()), child, full, info));
      else
        note(full);
    }
    return done();
  }

  Changes release() { return std::move(changes_); }

 private:
  void note(const std::string& path) {
    if (changes_.not_written.size() < kMaxNamed) changes_.not_written.push_back(path);
  }

  Status file(int parent, const std::string& name, const std::string& path, const struct stat& info) {
    const auto before = shipped_.find(path);
    const bool was_there = before != shipped_.end();
    const auto size = static_cast<std::int64_t>(info.st_size);
    if (!was_there && !rules_.opens(path, false)) return note(path), done();
    if (size > bytes_left_ && !(was_there && size == static_cast<std::int64_t>(before->second->content.size())))
      return too_much(path);
    BAND_TRY(base::Fd fd, open_beneath(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
    BAND_TRY(std::string content, base::read_all(fd.get(), static_cast<std::size_t>(size)));
    if (was_there && content == before->second->content) return done();
    if (!rules_.opens(path, false) || !is_safe_relative_path(path)) return note(path), done();
    if (size > bytes_left_ || files_left_-- <= 0) return too_much(path);
    bytes_left_ -= size;
    changes_.files.push_back({path, was_there ? before->second->mode : 0644u, std::move(content)});
    return done();
  }

  static Status too_much(const std::string& path) {
    return own_error(Code::LimitExceeded,
                     "the files that the script wrote exceed limit.maxDiskBytes, limit.maxFiles or 64 MiB at " + path,
                     0, "raise the limit, or write less (a sparse file counts with its whole length)");
  }

  std::map<std::string, const ShippedFile*> shipped_;
  PathRules rules_;
  std::int64_t bytes_left_, files_left_;
  Changes changes_;
};

}  // namespace

Status write_files(int directory, const std::vector<ShippedFile>& files, Who owner) {
  for (const ShippedFile& file : files) BAND_CHECK(write_one(directory, file, owner));
  return done();
}

Result<Changes> collect_changes(int directory, const std::vector<ShippedFile>& shipped, const Domain& write,
                                std::int64_t max_bytes, std::int64_t max_files) {
  BAND_TRY(PathRules rules, PathRules::compile(write));
  Collector collector(shipped, std::move(rules), max_bytes, max_files);
  BAND_CHECK(collector.directory(directory, ".", "", 0));
  return collector.release();
}

Result<std::string> read_result(int directory, const std::string& name, std::int64_t max_bytes) {
  BAND_TRY(base::Fd fd, open_beneath(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return layer_error(kLayer, "stat " + name, errno);
  if (!S_ISREG(info.st_mode)) return own_error(Code::OutputInvalid, name + " is not a regular file");
  if (info.st_size > max_bytes)
    return own_error(Code::LimitExceeded, name + " has " + std::to_string(info.st_size) +
                                              " bytes; limit.maxOutputBytes is " + std::to_string(max_bytes));
  return base::read_all(fd.get(), static_cast<std::size_t>(max_bytes));
}

}  // namespace band::view
