#include "client/commands/log_file.h"

#include <fcntl.h>

#include <cerrno>

#include "client/host/write_all.h"

namespace band::client {

Result<LogFile> LogFile::open(const std::optional<std::string>& path) {
  LogFile log;
  if (!path) return log;
  log.path_ = *path;
  log.fd_ = Fd(::open(path->c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (log.fd_) return log;
  return Error{.code = Code::Usage,
               .doing = "--log " + *path + ": cannot open the file for writing",
               .err = errno,
               .hint = "name a file in an existing directory"};
}

void LogFile::add(std::string_view bytes) {
  if (fd_ && err_ == 0 && !write_all(fd_.get(), bytes)) err_ = errno;
}

Status LogFile::finish() const {
  if (err_ == 0) return done();
  return Error{.code = Code::Usage, .doing = "--log " + path_ + ": the file is incomplete", .err = err_};
}

}  // namespace band::client
