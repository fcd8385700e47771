// Observes and locks files that other processes use, too.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <vector>

#include "tests/probes/probe.h"

namespace probe {
namespace {

// Executes the arguments from `first` on, if there are any, and waits for the end.
void run(const Arguments& a, std::size_t first) {
  if (a.size() <= first) return;
  std::vector<char*> argv;
  for (std::size_t i = first; i < a.size(); ++i) argv.push_back(const_cast<char*>(a[i].c_str()));
  argv.push_back(nullptr);
  const pid_t pid = ::fork();
  if (pid < 0) untried("fork");
  if (pid == 0) {
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) untried("start " + a[first]);
}

// Returns true when an event about the watched file itself is waiting, or, if `name` is not empty, an event about this
// entry of the watched directory.
bool has_event(int fd, const std::string& name) {
  alignas(inotify_event) char buffer[64 << 10];
  ssize_t n = 0;
  while ((n = ::read(fd, buffer, sizeof buffer)) > 0)
    for (const char* at = buffer; at < buffer + n;) {
      const auto* event = reinterpret_cast<const inotify_event*>(at);
      if ((event->len > 0 ? event->name : "") == name) return true;
      at += sizeof(inotify_event) + event->len;
    }
  return false;
}

// PATH NAME COMMAND...: watches PATH while COMMAND runs. NAME: an entry of the directory PATH; "": PATH itself.
std::string watch(const Arguments& a) {
  const int fd = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (fd < 0 || ::inotify_add_watch(fd, a.at(0).c_str(), IN_ALL_EVENTS) < 0) return did_if(false);
  run(a, 2);
  return has_event(fd, a.at(1)) ? "seen" : "nothing";
}

// PATH [COMMAND...]: locks PATH while COMMAND runs. Fails if another process has the lock.
std::string lock(const Arguments& a) {
  const int fd = ::open(a.at(0).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) untried("open " + a[0]);
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) return did_if(false);
  run(a, 1);
  return "did";
}

}  // namespace

void add_sharing_acts(Acts& acts) {
  acts["watch"] = watch;
  acts["lock"] = lock;
}

}  // namespace probe
