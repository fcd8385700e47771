#include "client/host/pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace band::client {

Result<Pipe> open_pipe() {
  int ends[2];
#ifdef __APPLE__  // no pipe2: a program that another thread starts between the two calls has the ends, too
  const int failed = ::pipe(ends);
#else
  const int failed = ::pipe2(ends, O_CLOEXEC);
#endif
  if (failed != 0) return Error{.code = Code::Internal, .doing = "make a pipe", .err = errno};
#ifdef __APPLE__
  for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
#endif
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

}  // namespace band::client
