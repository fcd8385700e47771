#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "tests/probes/probe.h"

namespace probe {

std::string did_if(bool success) {
  if (success) return "did";
  const char* name = ::strerrorname_np(errno);
  return std::string("refused ") + (name == nullptr ? "?" : name);
}

std::string did_unless(long negative) { return did_if(negative >= 0); }

void untried(const std::string& why) {
  std::fprintf(stderr, "band-probe: %s: %s\n", why.c_str(), ::strerror(errno));
  std::exit(2);
}

std::string in_child(const std::function<std::string()>& act) {
  int ends[2];
  if (::pipe(ends) != 0) untried("pipe");
  const pid_t pid = ::fork();
  if (pid < 0) untried("fork");
  if (pid == 0) {
    const std::string text = act();
    ::_exit(::write(ends[1], text.data(), text.size()) < 0 ? 1 : 0);
  }
  ::close(ends[1]);
  char text[256] = {};
  const ssize_t n = ::read(ends[0], text, sizeof text - 1);
  int status = 0;
  ::waitpid(pid, &status, 0);
  if (WIFSIGNALED(status)) return std::string("killed SIG") + ::sigabbrev_np(WTERMSIG(status));
  return n > 0 ? text : "nothing";
}

int sleeping_child() {
  int ready[2];
  char byte = 0;
  if (::pipe(ready) != 0) untried("pipe");
  const pid_t pid = ::fork();
  if (pid < 0) untried("fork");
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::write(ready[1], "r", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  // Waits for the prctl: if the parent exited before it, the child would live on, and a reader of its stdout would
  // block.
  if (::read(ready[0], &byte, 1) != 1) untried("start a child");
  return pid;
}

}  // namespace probe

int main(int argc, char** argv) {
  probe::Acts acts;
  probe::add_process_acts(acts);
  probe::add_kernel_acts(acts);
  probe::add_file_acts(acts);
  probe::add_socket_acts(acts);
  probe::add_spending_acts(acts);
  probe::add_sharing_acts(acts);
  const auto act = acts.find(argc > 1 ? argv[1] : "");
  if (act == acts.end()) {
    std::fprintf(stderr, "band-probe: no such act\n");
    return 2;
  }
  const std::string result = act->second(probe::Arguments(argv + 2, argv + argc));
  std::printf("%s\n", result.c_str());
}
