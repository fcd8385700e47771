#include "client/platform/pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace band::client {
namespace {

#ifdef __APPLE__
int close_on_exec_pipe(int ends[2]) {
  if (::pipe(ends) != 0) return -1;
  for (const int* end = ends; end != ends + 2; ++end) ::fcntl(*end, F_SETFD, FD_CLOEXEC);
  return 0;
}
#else
int close_on_exec_pipe(int ends[2]) { return ::pipe2(ends, O_CLOEXEC); }
#endif

}  // namespace

Result<Pipe> open_pipe() {
  int ends[2];
  if (close_on_exec_pipe(ends) != 0) return Error{.code = Code::Internal, .doing = "cannot make a pipe", .err = errno};
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

}  // namespace band::client
