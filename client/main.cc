#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <string>
#include <vector>

#include "client/commands/commands.h"

namespace {

// A standard stream that is closed (`>&-`) would be the next file that is opened, and what band prints would go there.
// In its place: /dev/null, the wrong way round, so that reading or writing fails as it should.
void hold_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0) (void)::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

}  // namespace

int main(int argc, char** argv) {
  hold_standard_streams();
  // A reader of our output or a server that goes away is an error that is told, not a sudden death.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGCHLD, SIG_DFL);  // ignored by who started us, no child would have a status
  band::client::Terminal terminal;
  try {
    return band::client::dispatch(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc), terminal);
  } catch (const std::exception& error) {
    terminal.error({.code = band::Code::Internal,
                    .doing = std::string("band failed: ") + error.what(),
                    .hint = "this is a bug in band: please report it"});
  }
  return band::exit_code(band::Code::Internal);
}
