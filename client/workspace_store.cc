#include "client/workspace_store.h"

#include <cerrno>
#include <ctime>
#include <set>

namespace band::client {
namespace {

constexpr std::string_view kTemporaryPrefix = ".band-", kTemporarySuffix = ".tmp";
constexpr std::size_t kTemporaryRandom = 6;
constexpr std::time_t kStaleSeconds = 3600;  // longer than any write-back takes, so a running one is never disturbed

Error failed(std::string doing, int err) {
  const char* hint =
      err == ENOSPC || err == EDQUOT ? "make room on the disk" : "check the permissions of the workspace";
  return Error{Code::PermissionDenied, "", "write back: " + std::move(doing), err, hint, ""};
}

Error changed(const std::string& path, const std::vector<std::string>& written) {
  std::string text = path + " changed on your side while the answer was being written back; ";
  if (written.empty()) text += "nothing was written";
  for (std::size_t i = 0; i < written.size(); ++i) text += (i == 0 ? "already written: " : ", ") + written[i];
  return Error{Code::WriteConflict, "", text, 0, "look at the file, and run again", ""};
}

bool same_file(const struct ::stat& a, const struct ::stat& b) {
#ifdef __APPLE__
  const bool same_time =
      a.st_mtimespec.tv_sec == b.st_mtimespec.tv_sec && a.st_mtimespec.tv_nsec == b.st_mtimespec.tv_nsec;
#else
  const bool same_time = a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
#endif
  return same_time && a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size && a.st_mode == b.st_mode;
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

class Store {
 public:
  Store(const Tree& tree, const std::vector<StoreItem>& items) : tree_(tree), items_(items) {}
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Temporary files that were not renamed go; directories go when they are empty.
  ~Store() {
    int err = 0;
    for (std::size_t i = 0; i < staged_.size(); ++i) {
      if (staged_[i].empty()) continue;
      if (const Fd directory = tree_.open_directory(items_[i].directory, err); directory.valid())
        ::unlinkat(directory.get(), staged_[i].c_str(), 0);
    }
    if (stored_all_) return;
    for (auto it = created_.rbegin(); it != created_.rend(); ++it) {
      const std::size_t slash = it->rfind('/');
      const Fd parent = tree_.open_directory(slash == std::string::npos ? "" : it->substr(0, slash), err);
      if (parent.valid())
        ::unlinkat(parent.get(), it->substr(slash == std::string::npos ? 0 : slash + 1).c_str(), AT_REMOVEDIR);
    }
  }

  Status run() {
    for (const StoreItem& item : items_) BAND_CHECK(stage(item));
    // Everything is on the disk; the window between this look and the renames is as short as it can be.
    for (const StoreItem& item : items_) BAND_CHECK(check_untouched(item));
    for (std::size_t i = 0; i < items_.size(); ++i) BAND_CHECK(put_in_place(i));
    stored_all_ = true;
    return sync_directories();
  }

 private:
  Result<Fd> ensure_directory(const std::string& path) {
    int err = 0;
    Fd directory = tree_.open_directory("", err);
    std::string at;
    for (const std::string& name : split_path(path)) {
      at = join_path(at, name);
      if (::mkdirat(directory.get(), name.c_str(), 0755) == 0)
        created_.push_back(at);
      else if (errno != EEXIST)
        return failed("create directory " + at, errno);
      Fd next(::openat(directory.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (!next.valid()) return failed("open directory " + at, errno);
      directory = std::move(next);
    }
    if (!directory.valid()) return failed("open the workspace", err);
    return directory;
  }

  Status stage(const StoreItem& item) {
    BAND_TRY(const Fd directory, ensure_directory(item.directory));
    if (cleaned_.insert(item.directory).second) remove_stale_temporaries(directory.get());
    BAND_TRY(const std::string random, random_hex(kTemporaryRandom / 2));
    const std::string name = std::string(kTemporaryPrefix) + random + std::string(kTemporarySuffix);
    const mode_t mode = item.exists ? item.before.st_mode & 0777 : 0644;
    // Created with the final mode, so that the caller's umask holds for new files.
    const Fd file(::openat(directory.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                           item.exists ? 0600 : mode));
    if (!file.valid()) return failed("create a temporary file beside " + item.file->path, errno);
    staged_.push_back(name);
    if (!write_all(file.get(), item.file->content)) return failed("write " + item.file->path, errno);
    if (item.exists) {
      struct ::stat own = {};
      // A renamed file must not change hands, when the caller is root in somebody's directory.
      if (::fstat(file.get(), &own) != 0 || ((own.st_uid != item.before.st_uid || own.st_gid != item.before.st_gid) &&
                                             ::fchown(file.get(), item.before.st_uid, item.before.st_gid) != 0))
        return failed("keep the owner of " + item.file->path, errno);
      if (::fchmod(file.get(), mode) != 0) return failed("keep the mode of " + item.file->path, errno);
    }
    if (::fsync(file.get()) != 0) return failed("write " + item.file->path + " to the disk", errno);
    return done();
  }

  Status check_untouched(const StoreItem& item) const {
    int err = 0;
    const Fd directory = tree_.open_directory(item.directory, err);
    if (!directory.valid()) return failed("open directory " + item.directory, err);
    struct ::stat now = {};
    const bool exists = ::fstatat(directory.get(), item.name.c_str(), &now, AT_SYMLINK_NOFOLLOW) == 0;
    if (exists != item.exists || (exists && !same_file(now, item.before))) return changed(item.file->path, written_);
    return done();
  }

  Status put_in_place(std::size_t i) {
    const StoreItem& item = items_[i];
    int err = 0;
    const Fd directory = tree_.open_directory(item.directory, err);
    if (!directory.valid()) return failed("open directory " + item.directory, err);
    const char *from = staged_[i].c_str(), *to = item.name.c_str();
    if (!item.exists) {
      // link(2) never replaces: a file that appeared meanwhile, or another spelling of a name just written, is kept.
      if (::linkat(directory.get(), from, directory.get(), to, 0) == 0) {
        written_.push_back(item.file->path);
        return done();  // the temporary name goes with the others
      }
      if (errno == EEXIST) return changed(item.file->path, written_);
      BAND_CHECK(check_untouched(item));  // a file system without hard links: look, then rename
    }
    if (::renameat(directory.get(), from, directory.get(), to) != 0)
      return failed("put " + item.file->path + " in place", errno);
    staged_[i].clear();
    written_.push_back(item.file->path);
    return done();
  }

  Status sync_directories() const {
    std::set<std::string> directories;
    for (const StoreItem& item : items_) directories.insert(item.directory);
    for (const std::string& path : directories) {
      int err = 0;
      const Fd directory = tree_.open_directory(path, err);
      // Some file systems cannot sync a directory (EINVAL); the files are in place all the same.
      if (directory.valid() && ::fsync(directory.get()) != 0 && errno != EINVAL && errno != ENOTSUP)
        return failed("write directory " + path + " to the disk", errno);
    }
    return done();
  }

  const Tree& tree_;
  const std::vector<StoreItem>& items_;
  std::vector<std::string> staged_;   // temporary names, by item; empty once renamed
  std::vector<std::string> created_;  // directories
  std::vector<std::string> written_;
  std::set<std::string> cleaned_;
  bool stored_all_ = false;
};

}  // namespace

Status store(const Tree& workspace, const std::vector<StoreItem>& items) { return Store(workspace, items).run(); }

void remove_stale_temporaries(int directory) {
  int err = 0;
  const auto names = list_directory(directory, err);
  if (!names) return;  // tidying only: what matters here fails by itself
  for (const std::string& name : *names) {
    if (name.size() != kTemporaryPrefix.size() + kTemporaryRandom + kTemporarySuffix.size()) continue;
    if (!name.starts_with(kTemporaryPrefix) || !name.ends_with(kTemporarySuffix)) continue;
    struct ::stat status = {};
    if (::fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) continue;
    if (status.st_uid == ::geteuid() && std::time(nullptr) - status.st_mtime > kStaleSeconds)
      ::unlinkat(directory, name.c_str(), 0);
  }
}

}  // namespace band::client
