// band-init: pid 1 of a view, cloned from the zygote (zygote.h). It sets up the inside layers in order, starts the
// script and keeps running: as uid 0, so that the script cannot signal it, without a capability, under seccomp. In a
// command view it is the holder (holder.h). When it exits or is killed, the kernel kills all processes of its pid
// namespace (pid_namespaces(7)). It exits when the engine exits, by end of file on the control socket. PR_SET_PDEATHSIG
// is not sufficient: setresuid clears it, and it fires when the thread that forked ends.
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
#include <string>
#include <utility>

#include "server/base/fd.h"
#include "server/init/become.h"
#include "server/init/holder.h"
#include "server/init/report.h"
#include "server/init/setup.h"
#include "server/init/zygote.h"

namespace band::init {
namespace {

// Mounts /proc of the view's own pid namespace with only processes in it: subset=pid (Linux 5.8, proc(5)) excludes
// kcore, sysrq-trigger, sys, keys and all files that a later kernel adds.
Status mount_proc() {
  if (::mount("proc", "/proc", "proc", MS_NOSUID | MS_NOEXEC | MS_NODEV, "subset=pid") != 0)
    return layer_error("init", "cannot mount /proc with subset=pid", errno, "use Linux 5.8 or later");
  if (::access("/proc/self/status", R_OK) != 0) return layer_error("init", "/proc shows no processes", errno);
  if (::access("/proc/sys", F_OK) == 0 || ::access("/proc/kcore", F_OK) == 0)
    return layer_error("init", "/proc shows more than processes", 0);
  return done();
}

// Returns false on end of file or error.
bool read_exactly(int from, char* to, std::size_t size) {
  while (size > 0) {
    const ssize_t n = ::read(from, to, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    to += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

// Reads a length and a message of that length. Returns false on end of file or error, or when it exceeds `most` bytes.
bool receive(int from, std::size_t most, std::string& bytes) {
  std::uint64_t size = 0;
  if (!read_exactly(from, reinterpret_cast<char*>(&size), sizeof size) || size > most) return false;
  bytes.resize(size);
  return read_exactly(from, bytes.data(), bytes.size());
}

Result<Setup> receive_setup() {
  std::string bytes;
  if (!receive(kControlFd, kMaxSetupBytes, bytes)) gone();
  return decode(bytes);
}

// Applies all inside layers; only exec remains. The process then waits, as the slot's user, for the script.
Status restrict_script(const Setup& setup, const syscalls::Filter& filter) {
  BAND_TRY(const base::Fd domain, landlock::prepare(setup.landlock));
  BAND_CHECK(become(setup, setup.directory, domain));
  // TIOCSCTTY needs a session leader without a controlling terminal (ioctl_tty(2)). ctrl-C and job control need one.
  if (setup.terminal && ::ioctl(STDIN_FILENO, TIOCSCTTY, 0) != 0)
    return layer_error("init", "cannot make the terminal the controlling terminal", errno);
  return syscalls::load_for_script(filter);  // last, because it refuses system calls that are made above
}

Status become_script(const Setup& setup, const View& view) {
  BAND_CHECK(restrict_script(setup, view.filter));
  std::string bytes;
  // Fails if the engine has ended the execution; nothing receives a report then.
  if (!receive(view.script.get(), kMaxScriptBytes, bytes)) ::_exit(127);
  BAND_TRY(const Script script, decode_script(bytes));
  return execute(script.argv[0].c_str(), script.argv, script.env);
}

[[noreturn]] void child(const Setup& setup, const View& view, int from_init, int errors) {
  char byte = 0;
  // The parent writes the byte only when it has no capability left.
  if (::read(from_init, &byte, 1) != 1) ::_exit(127);
  ::close(kControlFd);
  const Status status = become_script(setup, view);
  const Report message = failure(status.error());
  if (::write(errors, &message, sizeof message) != sizeof message) ::_exit(126);
  ::_exit(127);
}

// After this, pid 1 can only read, write, wait and exit.
Status restrict_self(const syscalls::Filter& filter) {
  BAND_CHECK(privileges::give_up());
  BAND_CHECK(landlock::restrict({}));
  return syscalls::load_for_watcher(filter);
}

// The process that will execute the script, with all layers applied.
struct Waiting {
  pid_t pid = -1;
  base::Fd pidfd, errors;
};

Waiting fork_script(const Setup& setup, View view) {
  int to[2], errors[2];
  if (::pipe2(to, O_CLOEXEC) != 0 || ::pipe2(errors, O_CLOEXEC) != 0) fail(layer_error("init", "pipe", errno));
  Waiting waiting;
  waiting.pid = ::fork();
  if (waiting.pid < 0) fail(layer_error("init", "fork", errno));
  if (waiting.pid == 0) {
    ::close(to[1]);
    ::close(errors[0]);
    child(setup, view, to[0], errors[1]);
  }
  ::close(to[0]);
  ::close(errors[1]);
  view.script.reset();
  const base::Fd to_child(to[1]);
  waiting.errors.reset(errors[0]);
  waiting.pidfd.reset(static_cast<int>(::syscall(SYS_pidfd_open, waiting.pid, 0)));
  if (!waiting.pidfd) fail(layer_error("init", "pidfd_open", errno));
  if (const Status restricted = restrict_self(view.filter); !restricted.ok()) fail(restricted.error());
  if (::write(to_child.get(), "g", 1) != 1)
    fail(layer_error("init", "cannot let the script's process apply its layers", errno));
  return waiting;
}

// Waits until the process has executed the script, has failed to, or was killed. The engine sends nothing further on
// the control socket: readable means end of file.
void await_exec(const base::Fd& errors) {
  pollfd events[2] = {{errors.get(), POLLIN, 0}, {kControlFd, POLLIN, 0}};
  while (::poll(events, 2, -1) < 0)
    if (errno != EINTR) gone();
  if (events[0].revents == 0) gone();
  if (const auto failed = failure_before_exec(errors)) {
    report(*failed);
    ::_exit(1);
  }
}

// Returns the process that executes the script.
pid_t start(const Setup& setup, View view) {
  const Waiting waiting = fork_script(setup, std::move(view));
  await_exec(waiting.errors);
  Report started;
  started.kind = static_cast<std::uint32_t>(Report::Kind::Started);
  report(started, {waiting.pidfd.get()});
  return waiting.pid;
}

// Reaps all dead children, orphans of the view included. Returns true when `script` was one of them.
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

// Waits until the script has ended, reports it and exits.
[[noreturn]] void watch(pid_t script, const base::Fd& deaths) {
  for (;;) {
    pollfd events[2] = {{deaths.get(), POLLIN, 0}, {kControlFd, POLLIN, 0}};
    if (::poll(events, 2, -1) < 0 && errno != EINTR) gone();
    // The engine sends nothing further: readable means end of file.
    if (events[1].revents != 0) gone();
    drain(deaths);
    Report ended;
    if (reap(script, ended)) {
      report(ended);
      gone();  // the kernel then kills the script's background processes
    }
  }
}

[[noreturn]] void run(View view) {
  if (::getpid() != 1) fail(layer_error("init", "is not pid 1 of a pid namespace", 0));
  const base::Fd deaths = watch_children();
  if (!deaths) fail(layer_error("init", "signalfd", errno));
  if (const Status mounted = mount_proc(); !mounted.ok()) fail(mounted.error());
  base::Fd self(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
  if (!self) fail(layer_error("init", "pidfd_open", errno));
  base::Fd root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root) fail(layer_error("init", "cannot open /", errno));
  base::Fd mounts(::open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC));
  if (!mounts) fail(layer_error("init", "cannot open the mount namespace", errno));
  Report ready;
  ready.kind = static_cast<std::uint32_t>(Report::Kind::Ready);
  report(ready, {self.get(), root.get(), mounts.get()});
  self.reset();
  root.reset();
  mounts.reset();

  auto setup = receive_setup();
  if (!setup.ok()) fail(setup.error());
  if (setup->holds_commands() == static_cast<bool>(view.script))
    fail(layer_error("init", "the pipe for the script is missing in a script view, or present in a command view", 0));
  if (setup->holds_commands()) hold_commands(*setup, view.filter, deaths);
  watch(start(*setup, std::move(view)), deaths);
}

}  // namespace
}  // namespace band::init

int main() { band::init::run(band::init::await_order()); }
