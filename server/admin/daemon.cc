#include "server/admin/daemon.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "server/admin/program.h"

namespace band::admin {
namespace {

// A message of one of the two new processes to the process that starts them. A message is smaller than PIPE_BUF, so
// each write(2) is read in one piece.
struct Report {
  enum Kind : int { Pid, Failed } kind;
  int value;  // the daemon's pid, or an errno
};

void report(int pipe, Report::Kind kind, int value) {
  const Report message{kind, value};
  while (::write(pipe, &message, sizeof message) < 0 && errno == EINTR) {
  }
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (std::string& text : strings) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

struct Plan {
  std::vector<std::string> argv, env;
  int null = -1, log = -1, reports = -1;
};

[[noreturn]] void become_daemon(Plan& plan) {
  auto argv = pointers(plan.argv);
  auto env = pointers(plan.env);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);  // exec would keep an ignored SIGHUP
  ::umask(022);
  const bool ready = ::chdir("/") == 0 && ::dup2(plan.null, 0) == 0 && ::dup2(plan.log, 1) == 1 &&
                     ::dup2(plan.log, 2) == 2 && ::syscall(SYS_close_range, 3u, ~0u, 4u /* CLOSE_RANGE_CLOEXEC */) == 0;
  if (ready) ::execve(argv[0], argv.data(), env.data());
  report(plan.reports, Report::Failed, errno);
  ::_exit(127);
}

// The intermediate process. It has a new session, so that the daemon is not a session leader and never gets a terminal.
// The intermediate process does not exit before the starting process has a pidfd of the daemon: while the daemon's
// parent exists and does not reap the daemon, the daemon's pid cannot be reused.
[[noreturn]] void become_between(Plan& plan, int go) {
  ::setsid();
  const pid_t daemon = ::fork();
  if (daemon == 0) become_daemon(plan);
  report(plan.reports, daemon > 0 ? Report::Pid : Report::Failed, daemon > 0 ? daemon : errno);
  char byte = 0;
  while (::read(go, &byte, 1) < 0 && errno == EINTR) {
  }
  ::_exit(0);
}

struct Pipe {
  base::Fd in, out;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return layer_error("service", "cannot make a pipe", errno);
  return Pipe{base::Fd(ends[0]), base::Fd(ends[1])};
}

// Both processes may send a message, in any order. Therefore follow() reads until both write ends are closed, by the
// exec of one process and the exit of the other.
Result<base::Fd> follow(int reports, base::Fd go, const std::string& program) {
  base::Fd pidfd;
  int failed = 0;
  Report message{};
  for (;;) {
    const ssize_t n = ::read(reports, &message, sizeof message);
    if (n < 0 && errno == EINTR) continue;
    if (n != sizeof message) break;
    if (message.kind == Report::Failed) {
      failed = message.value;
    } else {
      pidfd.reset(static_cast<int>(::syscall(SYS_pidfd_open, message.value, 0)));
      if (!pidfd) failed = errno;
    }
    if (pidfd || failed != 0) go.reset();
  }
  if (failed != 0) return layer_error("service", "cannot start " + program, failed);
  if (!pidfd) return layer_error("service", "cannot start " + program + ": the intermediate process exited", 0);
  return pidfd;
}

}  // namespace

Result<base::Fd> start_daemon(const std::vector<std::string>& argv, int log) {
  Plan plan;
  plan.argv = argv;
  plan.env = clean_environment();
  const base::Fd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!null) return layer_error("service", "cannot open /dev/null", errno);
  BAND_TRY(Pipe reports, make_pipe());
  BAND_TRY(Pipe go, make_pipe());
  plan.null = null.get();
  plan.log = log;
  plan.reports = reports.out.get();
  const pid_t between = ::fork();
  if (between < 0) return layer_error("service", "cannot fork", errno);
  if (between == 0) {
    go.out.reset();
    become_between(plan, go.in.get());
  }
  reports.out.reset();
  auto daemon = follow(reports.in.get(), std::move(go.out), argv[0]);
  while (::waitpid(between, nullptr, 0) < 0 && errno == EINTR) {
  }
  return daemon;
}

}  // namespace band::admin
