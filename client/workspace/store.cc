#include "client/workspace/store.h"

#include <cerrno>
#include <set>

#include "client/host/write_all.h"
#include "client/platform/files.h"
#include "client/workspace/git.h"
#include "schemas/wire/files.h"

namespace band::client {
namespace {

constexpr int kNameAttempts = 16;  // with 20,000 files in one directory, one name in a thousand is taken

Error failed(std::string doing, int err) {
  const bool full = err == ENOSPC || err == EDQUOT;
  return Error{.code = full ? Code::LimitExceeded : Code::PermissionDenied,
               .doing = "cannot " + std::move(doing),
               .err = err,
               .hint = full ? "make room on the disk" : "check the permissions of the workspace"};
}

Error changed(const std::string& path) {
  return Error{.code = Code::WriteConflict,
               .doing = path + " changed in the workspace while the answer was being written back",
               .hint = "check the file, and run again"};
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

bool same_file(const struct ::stat& a, const struct ::stat& b) {
  const std::timespec one = modification_time(a), other = modification_time(b);
  return one.tv_sec == other.tv_sec && one.tv_nsec == other.tv_nsec && a.st_dev == b.st_dev && a.st_ino == b.st_ino &&
         a.st_size == b.st_size && a.st_mode == b.st_mode;
}

// Sets the modification time of a file that was just written. A time after the write is in the future, and is not set.
// If the file system does not set times (EPERM, ENOSYS), the file keeps the time of the write-back.
void set_modified(int fd, std::int64_t us) {
  struct ::stat now = {};
  if (::fstat(fd, &now) != 0 || us >= wire::modified_us(modification_time(now))) return;
  const std::timespec times[] = {{0, UTIME_OMIT}, wire::modified_time(us)};
  (void)::futimens(fd, times);
}

class Store {
 public:
  Store(const Tree& tree, const Temporaries& temporaries, const std::vector<StoreItem>& items)
      : tree_(tree), temporaries_(temporaries), items_(items) {}
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Removes created directories if nothing was written.
  ~Store() {
    remove_staged();
    if (!written_.empty()) return;
    int err = 0;
    for (auto it = created_.rbegin(); it != created_.rend(); ++it)
      if (const Fd parent = tree_.open_directory(parent_of(*it), err))
        ::unlinkat(parent.get(), split_path(*it).back().c_str(), AT_REMOVEDIR);
  }

  Status run() {
    for (const StoreItem& item : items_) BAND_CHECK(nothing_written(stage(item)));
    // All data is on the disk; this check is as close to the renames as possible.
    for (const StoreItem& item : items_) BAND_CHECK(nothing_written(check_untouched(item)));
    if (Status placed = put_all(); !placed.ok())
      return written_.empty() ? nothing_written(placed) : some_written(placed);
    remove_staged();
    return sync_directories();
  }

 private:
  static Status nothing_written(Status status) { return said_first("nothing was written back: ", std::move(status)); }

  Status some_written(Status status) const {
    std::string text;
    for (std::size_t i = 0; i < written_.size() && i < 10; ++i) text += (i == 0 ? "" : ", ") + written_[i];
    if (written_.size() > 10) text += " and " + std::to_string(written_.size() - 10) + " more";
    return said_first("only these files were written back: " + text + ": ", std::move(status));
  }

  static Status said_first(const std::string& what, Status status) {
    if (!status.ok()) status.error().doing.insert(0, what);
    return status;
  }

  Result<Fd> ensure_directory(const std::string& path) {
    int err = 0;
    std::string at;
    Fd directory = tree_.make_directory(path, 0755, created_, at, err);
    if (!directory) return failed("make directory " + (at.empty() ? "." : at), err);
    return directory;
  }

  // Adds the name to `staged_`. The random part has 16 million values: among some hundred names, two may be equal.
  Result<Fd> create_temporary(const StoreItem& item, const Fd& directory, mode_t mode) {
    for (int attempt = 0; attempt < kNameAttempts; ++attempt) {
      BAND_TRY(const std::string name, temporaries_.fresh_name());
      Fd file(::openat(directory.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
      if (!file && errno == EEXIST) continue;
      if (!file) return failed("create a temporary file next to " + item.file->path, errno);
      staged_.push_back(name);
      return file;
    }
    return failed("create a temporary file next to " + item.file->path, EEXIST);
  }

  Status stage(const StoreItem& item) {
    BAND_TRY(const Fd directory, ensure_directory(item.directory));
    const mode_t mode = item.exists ? item.before.st_mode & 0777 : 0644;
    // New files are created with their final mode, so that the caller's umask applies.
    BAND_TRY(const Fd file, create_temporary(item, directory, item.exists ? 0600 : mode));
    if (!write_all(file.get(), item.file->content)) return failed("write " + item.file->path, errno);
    if (item.exists) {
      struct ::stat own = {};
      // The owner of a replaced file must not change when root is the caller in another user's directory.
      if (::fstat(file.get(), &own) != 0 || ((own.st_uid != item.before.st_uid || own.st_gid != item.before.st_gid) &&
                                             ::fchown(file.get(), item.before.st_uid, item.before.st_gid) != 0))
        return failed("keep the owner of " + item.file->path, errno);
      if (::fchmod(file.get(), mode) != 0) return failed("keep the mode of " + item.file->path, errno);
    }
    if (item.modified_us) set_modified(file.get(), *item.modified_us);
    if (sync_file(file.get()) != 0) return failed("write " + item.file->path + " to the disk", errno);
    return done();
  }

  Status check_untouched(const StoreItem& item) const {
    int err = 0;
    const Fd directory = tree_.open_directory(item.directory, err);
    if (!directory) return failed("open directory " + item.directory, err);
    struct ::stat now = {};
    const bool exists = ::fstatat(directory.get(), item.name.c_str(), &now, AT_SYMLINK_NOFOLLOW) == 0;
    if (exists != item.exists || (exists && !same_file(now, item.before))) return changed(item.file->path);
    return done();
  }

  // New files are put in place first, because they can be removed again if one meets a full disk or an existing name.
  // Then the directories are checked again: two concurrent write-backs, each with a part of a git repository, can both
  // pass the first check before either of them writes. The later of the two detects the other's part here.
  Status put_all() {
    Status put = put_each(false);
    if (put.ok() && !written_.empty()) put = check_git_directories(tree_, items_);
    if (put.ok()) put = put_each(true);
    if (!put.ok() && !renamed_) take_back();
    return put;
  }

  Status put_each(bool replaces) {
    for (std::size_t i = 0; i < items_.size(); ++i)
      if (items_[i].exists == replaces) BAND_CHECK(put_in_place(i));
    return done();
  }

  Status put_in_place(std::size_t i) {
    const StoreItem& item = items_[i];
    int err = 0;
    const Fd directory = tree_.open_directory(item.directory, err);
    if (!directory) return failed("open directory " + item.directory, err);
    const char *from = staged_[i].c_str(), *to = item.name.c_str();
    // link(2) never replaces a file: one that has appeared, or another spelling of a written name, is kept.
    if (!item.exists && ::linkat(directory.get(), from, directory.get(), to, 0) == 0) {
      written_.push_back(item.file->path);
      return done();
    }
    if (!item.exists && errno == EEXIST) return changed(item.file->path);
    BAND_CHECK(check_untouched(item));  // also for a file system without hard links
    if (::renameat(directory.get(), from, directory.get(), to) != 0)
      return failed("put " + item.file->path + " in place", errno);
    renamed_ = true;
    staged_[i].clear();
    written_.push_back(item.file->path);
    return done();
  }

  // Removes names that are still links to the staged files.
  void take_back() {
    for (std::size_t i = 0; i < staged_.size(); ++i) {
      int err = 0;
      const Fd directory = tree_.open_directory(items_[i].directory, err);
      struct ::stat staged = {}, placed = {};
      if (directory && !items_[i].exists &&
          ::fstatat(directory.get(), staged_[i].c_str(), &staged, AT_SYMLINK_NOFOLLOW) == 0 &&
          ::fstatat(directory.get(), items_[i].name.c_str(), &placed, AT_SYMLINK_NOFOLLOW) == 0 &&
          same_file(staged, placed))
        ::unlinkat(directory.get(), items_[i].name.c_str(), 0);
    }
    written_.clear();
  }

  void remove_staged() {
    for (std::size_t i = 0; i < staged_.size(); ++i) {
      int err = 0;
      if (staged_[i].empty()) continue;
      if (const Fd directory = tree_.open_directory(items_[i].directory, err))
        ::unlinkat(directory.get(), staged_[i].c_str(), 0);
    }
    staged_.clear();
  }

  Status sync_directories() const {
    std::set<std::string> directories;
    for (const StoreItem& item : items_) directories.insert(item.directory);
    for (const std::string& path : created_)
      directories.insert(parent_of(path));  // the parent has the new directory's entry
    for (const std::string& path : directories) {
      int err = 0;
      const Fd directory = tree_.open_directory(path, err);
      // Some file systems cannot sync a directory (EINVAL); the files are in place nevertheless.
      if (directory && ::fsync(directory.get()) != 0 && errno != EINVAL && errno != ENOTSUP)
        return said_first("all files are written back, but a crash of this machine could still lose them: ",
                          failed("sync directory " + (path.empty() ? "." : path), errno));
    }
    return done();
  }

  const Tree& tree_;
  const Temporaries& temporaries_;
  const std::vector<StoreItem>& items_;
  std::vector<std::string> staged_;   // temporary names, by item; empty after the rename
  std::vector<std::string> created_;  // created directories
  std::vector<std::string> written_;  // written paths
  bool renamed_ = false;              // a file was replaced, which cannot be undone
};

}  // namespace

Status store(const Tree& workspace, const Temporaries& temporaries, const std::vector<StoreItem>& items) {
  return Store(workspace, temporaries, items).run();
}

}  // namespace band::client
