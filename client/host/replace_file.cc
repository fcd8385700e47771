#include "client/host/replace_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "client/host/write_all.h"
#include "client/platform/files.h"
#include "schemas/core/fd.h"
#include "schemas/wire/wire.h"

namespace band::client {
namespace {

Error failed(const std::string& doing, int err) {
  return Error{.code = Code::WriteConflict,
               .doing = "cannot " + doing,
               .err = err,
               .hint = "check its permissions; nothing was changed"};
}

// A new file with a temporary name in the directory of a path. The destructor removes it unless it was renamed.
class Draft {
 public:
  static Result<Draft> make(const Tree& tree, const std::string& path, mode_t mode) {
    const std::size_t slash = path.rfind('/');
    const std::string parent = slash == std::string::npos ? "" : path.substr(0, slash);
    int err = 0;
    Draft draft;
    draft.shown_ = join_path(tree.path(), path);
    draft.name_ = slash == std::string::npos ? path : path.substr(slash + 1);
    draft.directory_ = tree.open_directory(parent, err);
    if (!draft.directory_) return failed("open the directory of " + draft.shown_, err);
    BAND_TRY(const std::string random, random_hex(4));
    draft.temporary_ = draft.name_ + "." + random;
    constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    draft.file_ = Fd(::openat(draft.directory_.get(), draft.temporary_.c_str(), kNew, mode));
    if (!draft.file_) return failed("create a file next to " + draft.shown_, errno);
    return draft;
  }
  Draft(Draft&&) = default;
  Draft& operator=(Draft&&) = delete;
  ~Draft() {
    if (file_) ::unlinkat(directory_.get(), temporary_.c_str(), 0);
  }

  int file() const { return file_.get(); }
  bool write(const std::string& content) const { return write_all(file_.get(), content); }
  bool status_of_old(struct stat& status) const {
    return ::fstatat(directory_.get(), name_.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
  }
  // `replaces`: an existing file.
  bool name(bool replaces) {
    const int at = directory_.get();
    const bool named =
        ::fsync(file_.get()) == 0 && (replaces ? ::renameat(at, temporary_.c_str(), at, name_.c_str())
                                               : rename_to_new(at, temporary_.c_str(), name_.c_str())) == 0;
    if (named) file_ = Fd();
    return named;
  }

 private:
  Draft() = default;

  Fd directory_, file_;
  std::string shown_, name_, temporary_;
};

}  // namespace

Status replace_file(const Tree& tree, const std::string& path, const std::string& before, const std::string& after) {
  const std::string shown = join_path(tree.path(), path);
  int err = 0;
  const auto now = tree.read(path, before.size(), err);
  if (!now && err != EFBIG) return failed("read " + shown, err);
  if (!now || now->content != before)
    return Error{.code = Code::WriteConflict,
                 .doing = shown + " has changed since it was read",
                 .hint = "run the command again; nothing was changed"};
  struct stat status = {};
  BAND_TRY(Draft draft, Draft::make(tree, path, 0600));
  if (!draft.status_of_old(status)) return failed("read " + shown, errno);
  const bool written = draft.write(after) && ::fchmod(draft.file(), status.st_mode & 0777) == 0;
  if (written && (status.st_uid != ::geteuid() || status.st_gid != ::getegid()))
    (void)!::fchown(draft.file(), status.st_uid, status.st_gid);  // only root can change the owner
  return written && draft.name(true) ? done() : Status(failed("replace " + shown, errno));
}

Status create_file(const Tree& tree, const std::string& path, const std::string& content) {
  BAND_TRY(Draft draft, Draft::make(tree, path, 0666));  // the kernel applies the umask
  return draft.write(content) && draft.name(false) ? done()
                                                   : Status(failed("create " + join_path(tree.path(), path), errno));
}

}  // namespace band::client
