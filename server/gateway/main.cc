// band-gateway: started by the engine with the control channel as descriptor 3 (order.h).
//
//     band-gateway --user band-gateway
//
// This process never receives a script's data. It keeps forked processes waiting; each takes one order, serves one
// execution, and exits. Therefore no data of one execution (name, connection, memory) is in a process that serves
// another execution. This process exits when the engine exits, and the forked processes are then killed.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <set>
#include <string>
#include <utility>

#include "server/gateway/cage.h"
#include "server/gateway/client_hello.h"
#include "server/gateway/execution.h"
#include "server/gateway/order.h"

namespace band::gateway {
namespace {

constexpr int kSpares = 2;
// Limit of waiting processes that die in a row before they receive an order. A single death can be caused by a lack of
// memory; many deaths in a row are a bug.
constexpr int kMostLost = 10;

int fatal(const Error& error) {
  ::dprintf(STDERR_FILENO, "band-gateway: fatal: %s%s%s\n", error.message().c_str(), error.hint.empty() ? "" : "; ",
            error.hint.c_str());
  return 1;
}

class Zygote {
 public:
  explicit Zygote(cage::Cage cage) : cage_(std::move(cage)) {}

  Status run() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return layer_error("gateway", "cannot make a pipe", errno);
    taken_.reset(ends[0]);
    take_.reset(ends[1]);
    sigset_t children;
    ::sigemptyset(&children);
    ::sigaddset(&children, SIGCHLD);
    if (::sigprocmask(SIG_BLOCK, &children, nullptr) != 0) return layer_error("gateway", "cannot block SIGCHLD", errno);
    deaths_.reset(::signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!deaths_) return layer_error("gateway", "cannot make a signalfd", errno);
    for (;;) {
      while (waiting_.size() < kSpares) BAND_CHECK(fork_spare());
      // The waiting processes read the orders. This process polls the control channel only to detect that the engine
      // closed it.
      pollfd events[3] = {{deaths_.get(), POLLIN, 0}, {taken_.get(), POLLIN, 0}, {kControlFd, POLLRDHUP, 0}};
      if (::poll(events, 3, -1) < 0 && errno != EINTR) return layer_error("gateway", "cannot poll", errno);
      if (events[2].revents != 0) return done();
      if (events[1].revents != 0) note_taken();
      if (events[0].revents != 0) BAND_CHECK(reap());
    }
  }

 private:
  Status fork_spare() {
    const pid_t zygote = ::getpid();
    const pid_t pid = ::fork();
    if (pid < 0) return layer_error("gateway", "cannot fork", errno);
    if (pid > 0) {
      waiting_.insert(pid);
      return done();
    }
    // The signal is set after setresuid(2), which would clear the setting. The zygote may have exited before prctl(2);
    // getppid(2) detects this.
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::getppid() != zygote) ::_exit(1);
    const Status served = serve();
    ::_exit(served.ok() ? 0 : fatal(served.error()));
  }

  // Runs in the forked process.
  Status serve() {
    deaths_.reset();
    taken_.reset();
    BAND_TRY(Order order, next_order());
    ::close(kControlFd);  // later orders are for other processes
    const pid_t self = ::getpid();
    if (!order.events || ::write(take_.get(), &self, sizeof self) != sizeof self) return done();
    take_.reset();
    const base::Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, self, 0)));
    if (!pidfd) return layer_error("gateway", "cannot open a pidfd", errno);
    BAND_CHECK(close_cage(cage_));
    return serve_execution(std::move(order), pidfd.get());
  }

  void note_taken() {
    pid_t pids[16];
    const ssize_t n = ::read(taken_.get(), pids, sizeof pids);
    for (ssize_t i = 0; i < n / static_cast<ssize_t>(sizeof(pid_t)); ++i) waiting_.erase(pids[i]);
    lost_ = 0;
  }

  Status reap() {
    signalfd_siginfo info{};
    while (::read(deaths_.get(), &info, sizeof info) > 0) {
    }
    for (pid_t pid = 0; (pid = ::waitpid(-1, nullptr, WNOHANG)) > 0;)
      if (waiting_.erase(pid) != 0 && ++lost_ >= kMostLost)
        return layer_error("gateway", "waiting processes die before they receive an order", 0);
    return done();
  }

  cage::Cage cage_;
  base::Fd taken_, take_, deaths_;
  std::set<pid_t> waiting_;
  int lost_ = 0;
};

Status run(const std::string& user) {
  for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_IGN);
  ::syscall(SYS_close_range, kControlFd + 1, ~0U, 0U);  // all other descriptors inherited from the engine
  BAND_TRY(cage::Cage cage, make_cage());
  BAND_CHECK(leave_root(user));
  if (!warm_up()) return layer_error("gateway", "cannot parse a ClientHello that OpenSSL has made", 0);
  return Zygote(std::move(cage)).run();
}

}  // namespace
}  // namespace band::gateway

int main(int argc, char** argv) {
  if (argc != 3 || std::string(argv[1]) != "--user") {
    ::dprintf(STDERR_FILENO, "usage: band-gateway --user NAME, with the engine's channel as descriptor 3\n");
    return 2;
  }
  const auto ended = band::gateway::run(argv[2]);
  return ended.ok() ? 0 : band::gateway::fatal(ended.error());
}
