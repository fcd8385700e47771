// band-init: pid 1 of a view. It sets up the inside layers, in order, starts the script and stays: uid 0, so that the
// script cannot signal it, without a capability, under seccomp. When it ends, by itself or killed, the kernel kills
// everything in its pid namespace (pid_namespaces(7)); it ends when the engine does, by end of file on the control
// socket. PR_SET_PDEATHSIG would not do: setresuid clears it, and it follows the thread that forked.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "server/base/channel.h"
#include "server/base/fd.h"
#include "server/base/io.h"
#include "server/init/plan.h"
#include "server/policy/places.h"

namespace band::init {
namespace {

[[noreturn]] void gone() { ::_exit(0); }

void report(const Report& message, const std::vector<int>& fds = {}) {
  const std::string_view bytes(reinterpret_cast<const char*>(&message), sizeof message);
  if (!base::send(kControlFd, bytes, fds).ok()) gone();
}

Report failure(const Error& error) {
  Report message;
  message.kind = static_cast<std::uint32_t>(Report::Kind::Failed);
  message.code = static_cast<std::uint32_t>(error.err);
  std::strncpy(message.layer, error.layer.c_str(), sizeof message.layer - 1);
  std::strncpy(message.text, error.doing.c_str(), sizeof message.text - 1);
  return message;
}

[[noreturn]] void fail(const Error& error) {
  report(failure(error));
  ::_exit(1);
}

// /proc of the view's own pid namespace, with nothing but processes in it: subset=pid (Linux 5.8, proc(5)) leaves out
// kcore, sysrq-trigger, sys, keys and whatever a later kernel adds.
Status mount_proc() {
  if (::mount("proc", "/proc", "proc", MS_NOSUID | MS_NOEXEC | MS_NODEV, "subset=pid") != 0)
    return layer_error("init", "mount /proc with subset=pid", errno, "use Linux 5.8 or later");
  if (::access("/proc/self/status", R_OK) != 0) return layer_error("init", "/proc shows no processes", errno);
  if (::access("/proc/sys", F_OK) == 0 || ::access("/proc/kcore", F_OK) == 0)
    return layer_error("init", "/proc shows more than processes", 0);
  return done();
}

Result<Plan> receive_plan() {
  const auto read_exactly = [](char* to, std::size_t size) {
    while (size > 0) {
      const ssize_t n = ::read(kControlFd, to, size);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) gone();
      to += n;
      size -= static_cast<std::size_t>(n);
    }
  };
  std::uint64_t size = 0;
  read_exactly(reinterpret_cast<char*>(&size), sizeof size);
  if (size > kMaxPlanBytes) return layer_error("init", "the plan is too large", 0);
  std::string bytes(size, '\0');
  read_exactly(bytes.data(), bytes.size());
  auto plan = decode(bytes);
  ::explicit_bzero(bytes.data(), bytes.size());  // secrets
  return plan;
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (const std::string& text : strings) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

Status landlock_holds() {
  base::Fd canary(::open(policy::kCanary, O_RDONLY | O_CLOEXEC));
  if (canary || errno != EACCES) return layer_error("landlock", "does not hold: the canary could be opened", 0);
  return done();
}

// Everything between fork and exec. Each step is fatal, and its place in the order has a reason.
Status become_script(const Plan& plan) {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (::setsid() < 0) return layer_error("init", "setsid", errno);  // no controlling terminal, a group to signal
  BAND_CHECK(limits::apply(plan.limits));                           // before anything of the skill's can spend
  BAND_CHECK(privileges::become(plan.ids));                         // nothing below needs a capability
  // As the slot: the work directory is closed to everybody else, and root has no capability here.
  if (::chdir(plan.directory.c_str()) != 0) return layer_error("init", "enter " + plan.directory, errno);
  BAND_CHECK(landlock::restrict(plan.landlock));  // after the mounts: it forbids mount(2)
  BAND_CHECK(landlock_holds());
  BAND_CHECK(syscalls::load(plan.filter));  // last: need not allow the above
  auto argv = pointers(plan.argv);
  auto env = pointers(plan.env);
  ::execve(argv[0], argv.data(), env.data());
  return layer_error("init", "start " + plan.argv[0], errno);
}

[[noreturn]] void child(const Plan& plan, int go, int errors) {
  char byte = 0;
  // The parent closes or writes `go` only when it has no capability left.
  if (::read(go, &byte, 1) != 1) ::_exit(127);
  ::close(kControlFd);
  const Status status = become_script(plan);
  const Report message = failure(status.error());
  if (::write(errors, &message, sizeof message) != sizeof message) ::_exit(126);
  ::_exit(127);
}

// pid 1 needs to read, write, wait and exit; nothing else.
Status restrict_self(const syscalls::Filter& filter) {
  BAND_CHECK(privileges::give_up());
  BAND_CHECK(landlock::restrict({}));
  return syscalls::load(filter);
}

pid_t start(const Plan& plan) {
  int go[2], errors[2];
  if (::pipe2(go, O_CLOEXEC) != 0 || ::pipe2(errors, O_CLOEXEC) != 0) fail(layer_error("init", "pipe", errno));
  const pid_t pid = ::fork();
  if (pid < 0) fail(layer_error("init", "fork", errno));
  if (pid == 0) {
    ::close(go[1]);
    ::close(errors[0]);
    child(plan, go[0], errors[1]);
  }
  ::close(go[0]);
  ::close(errors[1]);
  base::Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!pidfd) fail(layer_error("init", "pidfd_open", errno));
  if (const Status restricted = restrict_self(plan.filter); !restricted.ok()) fail(restricted.error());
  if (::write(go[1], "g", 1) != 1) fail(layer_error("init", "let the script start", errno));
  ::close(go[1]);
  Report failed;
  ssize_t n = 0;
  // End of file without a word: exec has closed the child's end.
  while ((n = ::read(errors[0], &failed, sizeof failed)) < 0 && errno == EINTR) {
  }
  ::close(errors[0]);
  if (n != 0) {
    report(n == sizeof failed ? failed : failure(layer_error("init", "start the script", 0)));
    ::_exit(1);
  }
  Report started;
  started.kind = static_cast<std::uint32_t>(Report::Kind::Started);
  report(started, {pidfd.get()});
  return pid;
}

// Reaps everybody's orphans; true when `script` was among the dead.
bool reap(pid_t script, Report& ended) {
  for (;;) {
    int status = 0;
    rusage usage{};
    const pid_t pid = ::wait4(-1, &status, WNOHANG, &usage);
    if (pid <= 0) return false;
    if (pid != script) continue;
    ended.kind = static_cast<std::uint32_t>(Report::Kind::Ended);
    ended.signalled = WIFSIGNALED(status) ? 1 : 0;
    ended.code = static_cast<std::uint32_t>(WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    const auto us = [](const timeval& t) { return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000 + t.tv_usec; };
    ended.cpu_us = us(usage.ru_utime) + us(usage.ru_stime);
    return true;
  }
}

[[noreturn]] void run() {
  if (::getpid() != 1) fail(layer_error("init", "is not pid 1 of a pid namespace", 0));
  sigset_t children;
  ::sigemptyset(&children);
  ::sigaddset(&children, SIGCHLD);
  ::sigprocmask(SIG_SETMASK, &children, nullptr);
  base::Fd deaths(::signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!deaths) fail(layer_error("init", "signalfd", errno));
  if (const Status mounted = mount_proc(); !mounted.ok()) fail(mounted.error());
  base::Fd self(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
  if (!self) fail(layer_error("init", "pidfd_open", errno));
  Report ready;
  ready.kind = static_cast<std::uint32_t>(Report::Kind::Ready);
  report(ready, {self.get()});
  self.reset();

  auto plan = receive_plan();
  if (!plan.ok()) fail(plan.error());
  const pid_t script = start(*plan);
  for (;;) {
    pollfd events[2] = {{deaths.get(), POLLIN, 0}, {kControlFd, POLLIN, 0}};
    if (::poll(events, 2, -1) < 0 && errno != EINTR) gone();
    // Nothing more is said to init: readable means end of file.
    if (events[1].revents != 0) gone();
    signalfd_siginfo info;
    while (::read(deaths.get(), &info, sizeof info) > 0) {
    }
    Report ended;
    if (reap(script, ended)) {
      report(ended);
      gone();  // with it goes whatever the script left in the background
    }
  }
}

}  // namespace
}  // namespace band::init

int main() { band::init::run(); }
