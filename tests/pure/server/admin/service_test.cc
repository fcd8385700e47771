// The service's lock, start and stop, and the log. start() starts this test program as the server, in the role at the
// end of the file.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <set>

#include "server/admin/drain.h"
#include "server/admin/service.h"
#include "server/admin/setup.h"
#include "server/base/io.h"
#include "tests/pure/server/admin/admin_test.h"
#include "tests/within.h"

using namespace band;
using namespace admin_test;

// ---- the service's lock ---------------------------------------------------------------------------------------------

TEST_CASE("the process that has claimed the run directory is the holder until it exits") {
  TempDir dir;
  const Paths paths = paths_in(dir.root);
  CHECK(holder(paths).value() == std::nullopt);
  int ready[2], go[2], over[2];
  REQUIRE(::pipe(ready) == 0);
  REQUIRE(::pipe(go) == 0);
  REQUIRE(::pipe(over) == 0);
  const pid_t server = ::fork();
  char byte = 0;
  if (server == 0) {
    ::close(go[1]);
    ::close(over[1]);
    const auto claimed = claim(paths);
    // Descriptors that children inherit must not keep the lock.
    if (::fork() == 0) {
      ::close(ready[1]);
      (void)!::read(over[0], &byte, 1);  // until the test ends
      ::_exit(0);
    }
    byte = claimed.ok() ? 'y' : 'n';
    if (::write(ready[1], &byte, 1) == 1 && ::read(go[0], &byte, 1) >= 0) ::_exit(0);
    ::_exit(1);
  }
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  REQUIRE(byte == 'y');
  CHECK(holder(paths).value() == std::optional<pid_t>(server));
  CHECK(read(paths.pid_file()) == std::to_string(server) + "\n");
  CHECK(mode_of(paths.pid_file()) == 0600);
  const auto second = claim(paths);
  REQUIRE(!second.ok());
  CHECK(second.error().message().find(std::to_string(server)) != std::string::npos);
  CHECK(read(paths.pid_file()) == std::to_string(server) + "\n");
  ::close(go[1]);
  REQUIRE(::waitpid(server, nullptr, 0) == server);
  CHECK(holder(paths).value() == std::nullopt);  // although its child still has the descriptor
  for (const int fd : {ready[0], ready[1], go[0], over[0], over[1]}) ::close(fd);
}

TEST_CASE("a pid file without a lock is never signalled") {
  TempDir dir;
  const Paths paths = paths_in(dir.root);
  const pid_t bystander = ::fork();
  if (bystander == 0) {
    ::pause();
    ::_exit(0);
  }
  write(paths.pid_file(), std::to_string(bystander) + "\n");
  Steps steps;
  CHECK(stop(paths, steps.progress()).ok());
  CHECK(steps.lines.empty());
  CHECK(::waitpid(bystander, nullptr, WNOHANG) == 0);  // still running
  ::kill(bystander, SIGKILL);
  CHECK(::waitpid(bystander, nullptr, 0) == bystander);
}

TEST_CASE("a claim removes the port of an earlier server") {
  TempDir dir;
  const Paths paths = paths_in(dir.root);
  REQUIRE(::mkdir(paths.run_dir.c_str(), 0755) == 0);
  REQUIRE(announce_port(paths, 7433).ok());
  CHECK(read(paths.port_file()) == "7433\n");
  CHECK(mode_of(paths.port_file()) == 0644);
  CHECK(in_child([&] { return claim(paths).ok() && !fs::exists(paths.port_file()) ? 0 : 1; }) == 0);
}

TEST_CASE("the port of a killed server is not treated as the port of the starting server") {
  TempDir dir;
  const Paths paths = paths_in(dir.root);
  // Another process that has the port by now would answer.
  const base::Fd squatter(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  REQUIRE(::bind(squatter.get(), reinterpret_cast<sockaddr*>(&address), size) == 0);
  REQUIRE(::listen(squatter.get(), 8) == 0);
  REQUIRE(::getsockname(squatter.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
  const pid_t answering = ::fork();
  if (answering == 0) {
    for (;;) {
      const base::Fd peer(::accept4(squatter.get(), nullptr, nullptr, SOCK_CLOEXEC));
      char request[512];
      if (::read(peer.get(), request, sizeof request) > 0)
        (void)base::write_all(peer.get(), "HTTP/1.1 401 No\r\n\r\n").ok();
    }
  }
  int ready[2];
  REQUIRE(::pipe2(ready, O_CLOEXEC) == 0);
  const pid_t server = ::fork();
  if (server == 0) {
    const auto claimed = claim(paths);
    // The state between a claim and the removal of the old files: the lock is held, and both files are from the killed
    // server.
    const bool stale =
        ::truncate(paths.pid_file().c_str(), 0) == 0 && announce_port(paths, ntohs(address.sin_port)).ok();
    const char byte = claimed.ok() && stale ? 'y' : 'n';
    if (::write(ready[1], &byte, 1) == 1) ::pause();
    ::_exit(1);
  }
  char byte = 0;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  CHECK(byte == 'y');
  Steps steps;
  const auto port = start(paths, steps.progress());
  for (const pid_t each : {server, answering}) {
    ::kill(each, SIGKILL);
    ::waitpid(each, nullptr, 0);
  }
  for (const int fd : ready) ::close(fd);
  CHECK(!port.ok());
  // No server runs now: `stop` removes the file.
  REQUIRE(fs::exists(paths.port_file()));
  REQUIRE(stop(paths, steps.progress()).ok());
  CHECK(!fs::exists(paths.port_file()));
}

TEST_CASE("a service that systemd started notifies it only when the port can be read") {
  TempDir dir;
  const Paths paths = paths_in(dir.root);
  REQUIRE(::mkdir(paths.run_dir.c_str(), 0755) == 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string place = dir.root + "/notify";
  place.copy(address.sun_path, sizeof address.sun_path - 1);
  const base::Fd systemd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  REQUIRE(::bind(systemd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  char said[64];
  REQUIRE(announce_port(paths, 7433).ok());
  CHECK(::recv(systemd.get(), said, sizeof said, 0) < 0);  // the control: not requested
  ::setenv("NOTIFY_SOCKET", place.c_str(), 1);
  REQUIRE(announce_port(paths, 7434).ok());
  const ssize_t n = ::recv(systemd.get(), said, sizeof said, 0);
  CHECK(std::string(said, n > 0 ? static_cast<std::size_t>(n) : 0) == "READY=1");
  CHECK(read(paths.port_file()) == "7434\n");
  ::setenv("NOTIFY_SOCKET", (dir.root + "/nobody").c_str(), 1);
  CHECK(!announce_port(paths, 7433).ok());
  ::unsetenv("NOTIFY_SOCKET");
}

// ---- start and stop -------------------------------------------------------------------------------------------------

TEST_CASE("start runs the server in a new session, a second start changes nothing, stop ends it") {
  TempDir dir;
  const Paths paths = paths_in(dir.root);
  write(paths.config, "serve");
  fs::create_directory(paths.run_dir);
  Steps steps;
  const auto port = start(paths, steps.progress());
  REQUIRE_MESSAGE(port.ok(), port.error().message() << "\n" << port.error().hint);
  const auto pid = holder(paths).value();
  REQUIRE(pid.has_value());
  CHECK(::getsid(*pid) != ::getsid(0));
  CHECK(::getsid(*pid) != *pid);  // not a leader: it never gets a terminal
  CHECK(fs::read_symlink("/proc/" + std::to_string(*pid) + "/cwd") == "/");
  std::set<std::string> open;
  for (const auto& entry : fs::directory_iterator("/proc/" + std::to_string(*pid) + "/fd"))
    if (const auto name = entry.path().filename(); name <= "2") open.insert(fs::read_symlink(entry.path()));
  CHECK(open == std::set<std::string>{"/dev/null", paths.log});
  CHECK(steps.lines.size() == 1);
  const auto again = start(paths, steps.progress());
  REQUIRE(again.ok());
  CHECK(*again == *port);
  CHECK(holder(paths).value() == pid);
  CHECK(steps.lines.size() == 1);
  REQUIRE(stop(paths, steps.progress()).ok());
  CHECK(holder(paths).value() == std::nullopt);
  CHECK(!fs::exists(paths.port_file()));
  CHECK(read(paths.log).find("asked to stop") != std::string::npos);  // SIGTERM, not SIGKILL
}

TEST_CASE("setup replaces a running server that was built from other sources, when its executions have ended") {
  TempDir dir;
  Paths paths = paths_in(dir.root);
  fs::create_directory(paths.run_dir);
  const auto serves = [&](const char* role, const std::string& source) {
    write(paths.config, role);
    write(dir.root + "/built-from", paths.source = source);
  };
  Steps steps;
  serves("busy", "first");
  REQUIRE(start(paths, steps.progress()).ok());
  CHECK(running_source(paths) == "first");
  const auto first = holder(paths).value();
  // The same sources: the server stays, although it is busy.
  CHECK(start_own_build(paths, 0, steps.progress()).ok());
  CHECK(holder(paths).value() == first);
  CHECK(steps.lines.size() == 1);

  serves("serve", "second");
  const auto busy = start_own_build(paths, 0, steps.progress());
  REQUIRE(!busy.ok());
  CHECK(busy.error().code == Code::ServerBusy);
  CHECK(holder(paths).value() == first);
  CHECK(test::within(5'000, [&] { return read(paths.log).find("accepts again") != std::string::npos; }));

  // A server that is older than the file with its digest.
  REQUIRE(stop(paths, steps.progress()).ok());
  serves("serve", "first");
  REQUIRE(start(paths, steps.progress()).ok());
  const auto old = holder(paths).value();
  fs::remove(paths.source_file());
  serves("serve", "second");
  const auto port = start_own_build(paths, 5, steps.progress());
  REQUIRE_MESSAGE(port.ok(), port.error().message() << "\n" << port.error().hint);
  CHECK(holder(paths).value() != old);
  CHECK(running_source(paths) == "second");
  CHECK(steps.lines.back() == "starting the server");
  REQUIRE(stop(paths, steps.progress()).ok());
  CHECK(running_source(paths) == "");
  CHECK(!fs::exists(paths.source_file()));
}

TEST_CASE("a server that exits at its start is reported immediately, with the end of its log") {
  TempDir dir;
  const Paths paths = paths_in(dir.root);
  write(paths.config, "die");
  write(paths.log, "an earlier run\n");
  fs::create_directory(paths.run_dir);
  Steps steps;
  const auto begin = base::monotonic_us();
  const auto port = start(paths, steps.progress());
  REQUIRE(!port.ok());
  CHECK(base::monotonic_us() - begin < 5'000'000);
  CHECK(port.error().code == Code::ServerUnreachable);
  CHECK(port.error().hint.find("no such luck") != std::string::npos);
  CHECK(port.error().hint.find("earlier run") == std::string::npos);
}

TEST_CASE("a missing program is an error of start") {
  TempDir dir;
  Paths paths = paths_in(dir.root);
  paths.program = dir.root + "/absent";
  fs::create_directory(paths.run_dir);
  Steps steps;
  const auto port = start(paths, steps.progress());
  REQUIRE(!port.ok());
  CHECK(port.error().message().find(paths.program) != std::string::npos);
}

TEST_CASE("a log above its size is truncated, keeps one generation, and loses no writer") {
  TempDir dir;
  const Paths paths = paths_in(dir.root);
  write(paths.log, "");
  const int saved = ::fcntl(2, F_DUPFD_CLOEXEC, 10);
  const int log = ::open(paths.log.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  const int other = ::dup(log);  // a child that shares it
  REQUIRE(::dup2(log, 2) == 2);
  const std::string small = "one line\n", large(static_cast<std::size_t>(kMaxLogBytes), 'x');
  bool fine = base::write_all(2, small).ok() && keep_log_small(paths).ok();
  const std::string kept = read(paths.log);
  fine = fine && base::write_all(2, large).ok() && keep_log_small(paths).ok() && base::write_all(other, small).ok();
  ::dup2(saved, 2);
  for (const int fd : {saved, log, other}) ::close(fd);
  CHECK(fine);
  CHECK(kept == small);
  CHECK(read(paths.log) == small);
  CHECK(fs::file_size(paths.log + ".1") == static_cast<std::uintmax_t>(kMaxLogBytes));  // its last bytes
}

TEST_CASE("a redirection of the caller is not truncated") {
  TempDir dir;
  const Paths paths = paths_in(dir.root);
  const std::string file = dir.root + "/mine";
  const int saved = ::fcntl(2, F_DUPFD_CLOEXEC, 10);
  const int mine = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  REQUIRE(::dup2(mine, 2) == 2);
  const bool fine = base::write_all(2, std::string(static_cast<std::size_t>(kMaxLogBytes) + 1, 'x')).ok() &&
                    keep_log_small(paths).ok();
  ::dup2(saved, 2);
  for (const int fd : {saved, mine}) ::close(fd);
  CHECK(fine);
  CHECK(fs::file_size(file) == static_cast<std::uintmax_t>(kMaxLogBytes) + 1);
}

// ---- the other role: the server that start() starts -----------------------------------------------------------------

namespace {

// Waits for SIGTERM. On SIGUSR1, writes the list for drain(): one execution if the server is `busy`.
void wait_for_end(const Paths& paths, const sigset_t& signals, bool busy) {
  for (int signal = 0; signal != SIGTERM;) {
    ::sigwait(&signals, &signal);
    if (signal == SIGUSR1)
      (void)announce_going(paths,
                           busy ? std::vector<Going>{{"0123456789abcdef", "laptop", "a/b"}} : std::vector<Going>());
    if (signal == SIGUSR2) std::fputs("accepts again\n", stderr), std::fflush(stderr);
  }
}

int serve(const std::string& config) {
  Paths paths = paths_in(fs::path(config).parent_path().parent_path());
  paths.source = read(fs::path(config).parent_path().parent_path() / "built-from");
  const std::string role = read(config);
  if (role == "die") {
    std::fputs("no such luck\n", stderr);
    return 1;
  }
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGUSR1, SIGUSR2}) ::sigaddset(&signals, signal);
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
  auto claimed = claim(paths);
  if (!claimed.ok()) return 1;
  const base::Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener.get(), 8) != 0 ||
      ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    return 1;
  const pid_t parent = ::getpid();
  const pid_t answering = ::fork();
  if (answering == 0) {
    for (;;) {
      const base::Fd peer(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
      char request[512];
      if (::read(peer.get(), request, sizeof request) > 0)
        (void)base::write_all(peer.get(), "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n").ok();
      if (::getppid() != parent) ::_exit(0);
    }
  }
  if (!announce_port(paths, ntohs(address.sin_port)).ok()) return 1;
  wait_for_end(paths, signals, role == "busy");
  std::fputs("asked to stop\n", stderr);
  ::kill(answering, SIGKILL);
  ::waitpid(answering, nullptr, 0);
  withdraw_port(paths);
  return 0;
}

// Before main: doctest would parse the arguments as its own. glibc passes them to constructors.
[[gnu::constructor]] void serve_instead_of_testing(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == "serve" && std::string(argv[2]) == "--config") {
    const int status = serve(argv[3]);
    std::fflush(stderr);
    ::_exit(status);
  }
}

}  // namespace
