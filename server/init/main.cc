// band-init: pid 1 of a view. It sets up the inside layers, in order, starts the script and stays: uid 0, so that the
// script cannot signal it, without a capability, under seccomp. Of a command view it is the holder (holder.h). When it
// ends, by itself or killed, the kernel kills everything in its pid namespace (pid_namespaces(7)); it ends when the
// engine does, by end of file on the control socket. PR_SET_PDEATHSIG would not do: setresuid clears it, and it follows
// the thread that forked.
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "server/base/fd.h"
#include "server/init/become.h"
#include "server/init/holder.h"
#include "server/init/report.h"
#include "server/init/setup.h"

namespace band::init {
namespace {

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

Result<Setup> receive_setup() {
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
  if (size > kMaxSetupBytes) return layer_error("init", "the setup is too large", 0);
  std::string bytes(size, '\0');
  read_exactly(bytes.data(), bytes.size());
  auto setup = decode(bytes);
  ::explicit_bzero(bytes.data(), bytes.size());  // secrets
  return setup;
}

// Everything between fork and exec.
Status become_script(const Setup& setup) {
  BAND_TRY(const base::Fd domain, landlock::prepare(setup.landlock));
  BAND_CHECK(become(setup, setup.directory, domain));
  // For the leader of a session that has none (ioctl_tty(2)): ctrl-C and job control need it.
  if (setup.terminal && ::ioctl(STDIN_FILENO, TIOCSCTTY, 0) != 0)
    return layer_error("init", "make the terminal the controlling one", errno);
  BAND_CHECK(syscalls::load(setup.filter));  // last: need not allow the above
  return execute(setup.argv[0].c_str(), setup.argv, setup.env);
}

[[noreturn]] void child(const Setup& setup, int go, int errors) {
  char byte = 0;
  // The parent closes or writes `go` only when it has no capability left.
  if (::read(go, &byte, 1) != 1) ::_exit(127);
  ::close(kControlFd);
  const Status status = become_script(setup);
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

pid_t start(const Setup& setup) {
  int go[2], errors[2];
  if (::pipe2(go, O_CLOEXEC) != 0 || ::pipe2(errors, O_CLOEXEC) != 0) fail(layer_error("init", "pipe", errno));
  const pid_t pid = ::fork();
  if (pid < 0) fail(layer_error("init", "fork", errno));
  if (pid == 0) {
    ::close(go[1]);
    ::close(errors[0]);
    child(setup, go[0], errors[1]);
  }
  ::close(go[0]);
  ::close(errors[1]);
  base::Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!pidfd) fail(layer_error("init", "pidfd_open", errno));
  if (const Status restricted = restrict_self(setup.filter); !restricted.ok()) fail(restricted.error());
  if (::write(go[1], "g", 1) != 1) fail(layer_error("init", "let the script start", errno));
  ::close(go[1]);
  if (const auto failed = failure_before_exec(base::Fd(errors[0]))) {
    report(*failed);
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
    note_death(status, ended);
    ended.cpu_us = cpu_us_of(usage);
    return true;
  }
}

// Until the script has ended.
[[noreturn]] void watch(pid_t script, const base::Fd& deaths) {
  for (;;) {
    pollfd events[2] = {{deaths.get(), POLLIN, 0}, {kControlFd, POLLIN, 0}};
    if (::poll(events, 2, -1) < 0 && errno != EINTR) gone();
    // Nothing more is said to init: readable means end of file.
    if (events[1].revents != 0) gone();
    drain(deaths);
    Report ended;
    if (reap(script, ended)) {
      report(ended);
      gone();  // with it goes whatever the script left in the background
    }
  }
}

[[noreturn]] void run() {
  if (::getpid() != 1) fail(layer_error("init", "is not pid 1 of a pid namespace", 0));
  const base::Fd deaths = watch_children();
  if (!deaths) fail(layer_error("init", "signalfd", errno));
  if (const Status mounted = mount_proc(); !mounted.ok()) fail(mounted.error());
  base::Fd self(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
  if (!self) fail(layer_error("init", "pidfd_open", errno));
  base::Fd root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root) fail(layer_error("init", "open /", errno));
  Report ready;
  ready.kind = static_cast<std::uint32_t>(Report::Kind::Ready);
  report(ready, {self.get(), root.get()});
  self.reset();
  root.reset();

  auto setup = receive_setup();
  if (!setup.ok()) fail(setup.error());
  if (setup->holds_commands()) hold_commands(*setup, deaths);
  watch(start(*setup), deaths);
}

}  // namespace
}  // namespace band::init

int main() { band::init::run(); }
