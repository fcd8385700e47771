#include "server/admin/service.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <string>

#include "server/admin/daemon.h"
#include "server/admin/program.h"
#include "server/base/io.h"

namespace band::admin {
namespace {

constexpr std::int64_t kStartUs = 10'000'000;  // ten times a first start, which builds the floor in about a second
constexpr int kStopMs = 15'000;  // running executions get one second to end; the rest is for removing their sandboxes
constexpr std::size_t kTailBytes = 2000;  // length of the log's end in an error message

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

std::string unit_name(const Paths& paths) { return std::filesystem::path(paths.unit).filename(); }

bool by_systemd(const Paths& paths) { return exists(paths.systemd) && exists(paths.unit); }

bool ended(int pidfd, int ms) {
  pollfd readable{pidfd, POLLIN, 0};
  return ::poll(&readable, 1, ms) > 0;
}

// Returns the port that the process `server` announced. The port file of a killed server remains until the next server
// has the lock. The next server removes this port file before it writes its pid to the pid file.
std::optional<std::uint16_t> announced_port(const Paths& paths, pid_t server) {
  const auto pid = base::read_file(paths.pid_file(), 32);
  if (!pid.ok() || *pid != std::to_string(server) + "\n") return std::nullopt;
  const auto text = base::read_file(paths.port_file(), 16);
  if (!text.ok()) return std::nullopt;
  std::uint16_t port = 0;
  const char* const end = text->data() + text->size();
  const auto [rest, error] = std::from_chars(text->data(), end, port);
  if (error != std::errc() || port == 0 || rest == end || *rest != '\n') return std::nullopt;
  return port;
}

base::Fd connect_to(const std::string& address, std::uint16_t port) {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(port);
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(port);
  const bool is_v4 = ::inet_pton(AF_INET, address.c_str(), &v4.sin_addr) == 1;
  if (!is_v4 && ::inet_pton(AF_INET6, address.c_str(), &v6.sin6_addr) != 1) return base::Fd();
  base::Fd fd(::socket(is_v4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval second{1, 0};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
  ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &second, sizeof second);
  const int connected = is_v4 ? ::connect(fd.get(), reinterpret_cast<sockaddr*>(&v4), sizeof v4)
                              : ::connect(fd.get(), reinterpret_cast<sockaddr*>(&v6), sizeof v6);
  return connected == 0 ? std::move(fd) : base::Fd();
}

// Any HTTP status is accepted: without a token the server answers 401.
bool answers_http(const std::string& address, std::uint16_t port) {
  const base::Fd fd = connect_to(address, port);
  if (!fd) return false;
  constexpr std::string_view kRequest = "GET /v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
  if (::send(fd.get(), kRequest.data(), kRequest.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(kRequest.size()))
    return false;
  constexpr std::string_view kAnswer = "HTTP/1.";
  char begin[kAnswer.size()] = {};
  return ::recv(fd.get(), begin, sizeof begin, MSG_WAITALL) == static_cast<ssize_t>(sizeof begin) &&
         std::string_view(begin, sizeof begin) == kAnswer;
}

// For a server that failed to start: returns the end of the log, without the part before `from`.
std::string log_tail(const Paths& paths, off_t from) {
  const base::Fd fd(::open(paths.log.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0) return "";
  const off_t begin = std::max<off_t>(from, info.st_size - static_cast<off_t>(kTailBytes));
  std::string text(kTailBytes, '\0');
  const ssize_t n = ::pread(fd.get(), text.data(), text.size(), begin);
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return text;
}

Error not_up(const std::string& what, const std::string& hint) {
  return Error{.code = Code::ServerUnreachable, .layer = "service", .doing = what, .hint = hint};
}

// Waits until the announced port answers and a process holds the lock. The exit of `pidfd` (or -1) ends the wait early.
Result<std::uint16_t> wait_until_ready(const Paths& paths, int pidfd, const std::string& where_to_look) {
  const std::int64_t deadline = base::monotonic_us() + kStartUs;
  for (;;) {
    BAND_TRY(const auto pid, holder(paths));
    const auto port = pid ? announced_port(paths, *pid) : std::nullopt;
    if (port && answers_http(paths.address, *port)) return *port;
    if (pidfd >= 0 && ended(pidfd, 0)) return not_up("the server exited immediately after its start", where_to_look);
    if (base::monotonic_us() > deadline)
      return not_up(pid ? "the server runs, but did not answer within 10 s" : "no server became ready within 10 s",
                    where_to_look);
    // With a pidfd, poll(2) returns immediately when the server exits. Without a pidfd, this is a pause.
    if (pidfd >= 0) {
      ended(pidfd, 10);
    } else {
      ::usleep(10'000);
    }
  }
}

Result<base::Fd> open_log(const Paths& paths) {
  const auto directory = std::filesystem::path(paths.log).parent_path();
  if (::mkdir(directory.c_str(), 0750) != 0 && errno != EEXIST)
    return layer_error("service", "cannot make " + directory.string(), errno);
  base::Fd fd(::open(paths.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0640));
  if (!fd) return layer_error("service", "cannot open " + paths.log, errno);
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode))
    return layer_error("service", paths.log + " is not a regular file", 0, "remove it");
  return fd;
}

Result<std::uint16_t> start_by_systemd(const Paths& paths) {
  const std::string unit = unit_name(paths);
  const std::string where_to_look = "`journalctl -u " + unit + " -n 50` shows its messages";
  // Returns when the server has reported that it is ready, or has failed.
  if (const Status started = run_program({"systemctl", "start", unit}); !started.ok())
    return not_up(started.error().doing, where_to_look);
  return wait_until_ready(paths, -1, where_to_look);
}

Result<std::uint16_t> start_as_daemon(const Paths& paths) {
  BAND_TRY(const base::Fd log, open_log(paths));
  struct stat before {};
  ::fstat(log.get(), &before);
  BAND_TRY(const base::Fd pidfd,
           start_daemon({paths.program, "serve", "--config", std::filesystem::absolute(paths.config)}, log.get()));
  auto port = wait_until_ready(paths, pidfd.get(), "");
  if (!port.ok()) {
    const std::string tail = log_tail(paths, before.st_size);
    port.error().hint = tail.empty() ? paths.log + " is empty" : "the end of " + paths.log + ":\n" + tail;
    // A server that did not become ready is killed, because it would hold the lock and the next attempt would fail.
    ::syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0);
  }
  return port;
}

// Returns the pidfd of the process that holds the lock. The holder is queried again after its pidfd was opened. If the
// holder is still the same, the process of the pidfd held the lock after the pidfd was opened. So the pidfd does not
// refer to another process with a recycled pid.
Result<base::Fd> grasp_holder(const Paths& paths) {
  for (;;) {
    BAND_TRY(const auto pid, holder(paths));
    if (!pid) return base::Fd();
    base::Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, *pid, 0)));
    if (!pidfd && errno != ESRCH) return layer_error("service", "cannot open process " + std::to_string(*pid), errno);
    BAND_TRY(const auto again, holder(paths));
    if (pidfd && again == pid) return pidfd;
  }
}

Status stop_holder(const Paths& paths, const Progress& progress) {
  BAND_TRY(const base::Fd pidfd, grasp_holder(paths));
  if (!pidfd) {
    withdraw_port(paths);  // left by a killed server
    return done();
  }
  progress("stopping the server");
  ::syscall(SYS_pidfd_send_signal, pidfd.get(), SIGTERM, nullptr, 0);
  if (!ended(pidfd.get(), kStopMs)) {
    progress("the server did not exit within 15 s: killing it");
    ::syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0);
    if (!ended(pidfd.get(), 5000)) return layer_error("service", "the server does not exit after SIGKILL", 0);
  }
  withdraw_port(paths);  // a server that was killed did not remove these files itself
  return done();
}

}  // namespace

std::optional<std::uint16_t> known_port(const Paths& paths) {
  if (!paths.why_no_run_dir.empty()) return std::nullopt;
  const auto pid = holder(paths);
  if (pid.ok() && *pid) return announced_port(paths, **pid);
  return paths.port != 0 ? std::optional(paths.port) : std::nullopt;
}

std::string running_source(const Paths& paths) {
  const auto pid = holder(paths);
  if (!pid.ok() || !*pid || !announced_port(paths, **pid)) return "";
  auto text = base::read_file(paths.source_file(), 256);
  if (!text.ok()) return "";
  if (text->ends_with('\n')) text->pop_back();
  return *text;
}

Status signal_holder(const Paths& paths, int signal) {
  const auto pidfd = grasp_holder(paths);
  if (!pidfd.ok()) return pidfd.error().err == 0 ? done() : Status(pidfd.error());
  if (*pidfd && ::syscall(SYS_pidfd_send_signal, pidfd->get(), signal, nullptr, 0) != 0 && errno != ESRCH)
    return layer_error("service", "cannot signal the server", errno);
  return done();
}

Result<std::uint16_t> start(const Paths& paths, const Progress& progress) {
  BAND_TRY(const auto pid, holder(paths));
  if (pid)
    return wait_until_ready(paths, -1, "process " + std::to_string(*pid) + " is the server; its log is " + paths.log);
  progress("starting the server");
  return by_systemd(paths) ? start_by_systemd(paths) : start_as_daemon(paths);
}

Status stop(const Paths& paths, const Progress& progress) {
  BAND_TRY(const auto pid, holder(paths));
  if (pid && by_systemd(paths)) BAND_CHECK(run_program({"systemctl", "stop", unit_name(paths)}));
  return stop_holder(paths, progress);
}

}  // namespace band::admin
