#include "client/host/replace_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "client/host/tree.h"
#include "client/host/write_all.h"
#include "client/platform/files.h"
#include "schemas/core/fd.h"

namespace band::client {
namespace {

Error failed(const std::string& doing, int err) {
  return Error{.code = Code::WriteConflict,
               .doing = "cannot " + doing,
               .err = err,
               .hint = "check its permissions; nothing was changed"};
}

}  // namespace

Status replace_file(const std::string& path, const std::string& before, const std::string& after) {
  const Fd old(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status = {};
  if (!old || ::fstat(old.get(), &status) != 0) return failed("read " + path, errno);
  int err = 0;
  const auto now = read_regular(old.get(), before.size(), err);
  if (!now || now->content != before)
    return Error{.code = Code::WriteConflict,
                 .doing = path + " has changed since it was read",
                 .hint = "run the command again; nothing was changed"};
  std::string name = path + ".XXXXXX";
  const Fd made(::mkstemp(name.data()));
  if (!made) return failed("create a file next to " + path, errno);
  const bool written = write_all(made.get(), after) && ::fchmod(made.get(), status.st_mode & 0777) == 0;
  if (written && (status.st_uid != ::geteuid() || status.st_gid != ::getegid()))
    (void)!::fchown(made.get(), status.st_uid, status.st_gid);  // only root can change the owner
  if (written && ::fsync(made.get()) == 0 && ::rename(name.c_str(), path.c_str()) == 0) return done();
  err = errno;
  ::unlink(name.c_str());
  return failed("replace " + path, err);
}

Status create_file(const std::string& path, const std::string& content) {
  std::string name = path + ".XXXXXX";
  const Fd made(::mkstemp(name.data()));
  if (!made) return failed("create a file next to " + path, errno);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  const bool written =
      write_all(made.get(), content) && ::fchmod(made.get(), 0666 & ~mask) == 0 && ::fsync(made.get()) == 0;
  if (written && rename_to_new(name.c_str(), path.c_str()) == 0) return done();
  const int err = errno;
  ::unlink(name.c_str());
  return failed("create " + path, err);
}

}  // namespace band::client
