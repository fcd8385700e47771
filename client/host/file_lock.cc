#include "client/host/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

namespace band::client {

Result<Fd> lock_file(const std::string& path, const std::function<void()>& waits) {
  Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (file && waits) {
    if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) return file;
    if (errno == EWOULDBLOCK) waits();
  }
  if (file && ::flock(file.get(), LOCK_EX) == 0) return file;
  return Error{.code = Code::Usage, .doing = "cannot lock " + path, .err = errno, .hint = "check its permissions"};
}

}  // namespace band::client
