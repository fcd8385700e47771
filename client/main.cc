#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <string>
#include <vector>

#include "client/commands/commands.h"

namespace {

// The descriptor of a closed standard stream (`>&-`) would be reused by the next open file, and band's output would be
// written into that file. Opens /dev/null in its place, with the opposite access mode, so that reading or writing
// fails.
void hold_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0) (void)::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

}  // namespace

int main(int argc, char** argv) {
  hold_standard_streams();
  // When the reader of band's output or the server closes the connection, writing fails with an error instead of
  // SIGPIPE.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGCHLD, SIG_DFL);  // if the parent process ignores it, no child process would have an exit status
  band::client::Terminal terminal;
  try {
    return band::client::dispatch(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc), terminal);
  } catch (const std::exception& error) {
    terminal.error({.code = band::Code::Internal,
                    .doing = std::string("band failed: ") + error.what(),
                    .hint = "this is a bug in band; please report it"});
  }
  return band::exit_code(band::Code::Internal);
}
