// The server's part of service.h: the lock of the running server, the port file, the size of the log.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "server/admin/service.h"
#include "server/base/io.h"

namespace band::admin {
namespace {

struct flock whole_file(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

Result<std::optional<pid_t>> holder_of(int fd, const std::string& file) {
  struct flock lock = whole_file(F_WRLCK);
  if (::fcntl(fd, F_GETLK, &lock) != 0) return layer_error("service", "cannot query the holder of " + file, errno);
  if (lock.l_type == F_UNLCK) return std::optional<pid_t>{};
  if (lock.l_pid <= 0)
    return layer_error("service", file + " is locked by a process of another pid namespace", 0,
                       "run `band-server stop` in the container or pid namespace in which that server was started");
  return std::optional<pid_t>{lock.l_pid};
}

Error state_taken(const Paths& paths, const std::string& by) {
  return Error{.code = Code::Usage,
               .layer = "service",
               .doing = "a server with another run directory uses the state directory " + paths.state_dir + by,
               .hint = "set another `state` in server.yaml, or stop the other server"};
}

// Does not use libsystemd, which would be a dependency for one datagram. In NOTIFY_SOCKET, a leading @ means an
// abstract socket (sd_notify(3)).
Status notify_systemd(std::string_view state) {
  const char* const place = ::getenv("NOTIFY_SOCKET");
  if (place == nullptr || *place == '\0') return done();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t length = std::strlen(place);
  if (length >= sizeof address.sun_path) return layer_error("service", "cannot notify systemd", ENAMETOOLONG);
  std::memcpy(address.sun_path, place, length);
  if (address.sun_path[0] == '@') address.sun_path[0] = '\0';
  const base::Fd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length);
  if (!fd || ::sendto(fd.get(), state.data(), state.size(), MSG_NOSIGNAL, reinterpret_cast<sockaddr*>(&address),
                      size) != static_cast<ssize_t>(state.size()))
    return layer_error("service", "cannot notify systemd at " + std::string(place), errno);
  return done();
}

}  // namespace

Result<base::Fd> claim(const Paths& paths) {
  if (::mkdir(paths.run_dir.c_str(), 0755) != 0 && errno != EEXIST)
    return layer_error("service", "cannot make " + paths.run_dir, errno, "run the server as root");
  const std::string file = paths.pid_file();
  // The mode is 0600 because a process that can open the file can lock it.
  base::Fd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
  if (!fd) return layer_error("service", "cannot open " + file, errno, errno == EACCES ? "run the server as root" : "");
  struct flock lock = whole_file(F_WRLCK);
  if (::fcntl(fd.get(), F_SETLK, &lock) != 0) {
    if (errno != EACCES && errno != EAGAIN) return layer_error("service", "cannot lock " + file, errno);
    BAND_TRY(const auto pid, holder_of(fd.get(), file));
    return Error{.code = Code::Usage,
                 .layer = "service",
                 .doing = "a server is already running" + (pid ? ": process " + std::to_string(*pid) : std::string()),
                 .hint = "stop it with `band-server stop`"};
  }
  withdraw_port(paths);
  const std::string text = std::to_string(::getpid()) + "\n";
  if (::ftruncate(fd.get(), 0) != 0) return layer_error("service", "cannot write " + file, errno);
  BAND_CHECK(base::write_all(fd.get(), text));
  return fd;
}

Result<base::Fd> claim_state(const Paths& paths) {
  std::error_code failed;
  if (std::filesystem::create_directories(paths.state_dir, failed)) ::chmod(paths.state_dir.c_str(), 0700);
  const std::string file = paths.state_lock();
  base::Fd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
  if (!fd) return layer_error("service", "cannot open " + file, errno, errno == EACCES ? "run the server as root" : "");
  struct flock lock = whole_file(F_WRLCK);
  if (::fcntl(fd.get(), F_SETLK, &lock) == 0) return fd;
  if (errno != EACCES && errno != EAGAIN) return layer_error("service", "cannot lock " + file, errno);
  return state_taken(paths, "");
}

Status state_free(const Paths& paths) {
  const std::string file = paths.state_lock();
  const base::Fd fd(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd) return errno == ENOENT ? done() : Status(layer_error("service", "cannot open " + file, errno));
  BAND_TRY(const auto pid, holder_of(fd.get(), file));
  BAND_TRY(const auto ours, holder(paths));
  return !pid || pid == ours ? done() : Status(state_taken(paths, ": process " + std::to_string(*pid)));
}

std::string instance(const Paths& paths) {
  struct stat info {};
  if (::lstat(paths.pid_file().c_str(), &info) != 0) return "";
  return std::to_string(info.st_dev) + "-" + std::to_string(info.st_ino);
}

bool former_server_ran(const Paths& paths) {
  return ::access(paths.pid_file().c_str(), F_OK) == 0 && ::access(paths.groups_file().c_str(), F_OK) != 0;
}

std::string former_group_name(const Paths& paths) {
  std::string name = "band-";
  for (const char c : paths.run_dir) name += ::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

Status announce_port(const Paths& paths, std::uint16_t port) {
  BAND_CHECK(base::write_file(paths.source_file(), paths.source + "\n", 0644));
  BAND_CHECK(base::write_file(paths.port_file(), std::to_string(port) + "\n", 0644));
  return notify_systemd("READY=1");
}

void withdraw_port(const Paths& paths) {
  ::unlink(paths.port_file().c_str());
  ::unlink(paths.source_file().c_str());
  ::unlink(paths.tokens_file_in_force().c_str());
}

Result<std::optional<pid_t>> holder(const Paths& paths) {
  const std::string file = paths.pid_file();
  base::Fd fd(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd) {
    if (errno == ENOENT) return std::optional<pid_t>{};
    return layer_error("service", "cannot open " + file, errno, errno == EACCES ? "run this command as root" : "");
  }
  return holder_of(fd.get(), file);
}

bool logs_to_file(const Paths& paths) {
  struct stat ours {
  }, there{};
  return ::fstat(STDERR_FILENO, &ours) == 0 && S_ISREG(ours.st_mode) && ::lstat(paths.log.c_str(), &there) == 0 &&
         ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
}

Status keep_log_small(const Paths& paths) {
  struct stat ours {};
  if (::fstat(STDERR_FILENO, &ours) != 0 || ours.st_size <= kMaxLogBytes) return done();
  // Only the file Paths::log is truncated. A file to which the caller has redirected stderr must not be truncated.
  if (!logs_to_file(paths)) return done();
  // Only the last kMaxLogBytes are copied, so the size of the copy is bounded even if the log has grown fast.
  base::Fd log(::open(paths.log.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!log || ::lseek(log.get(), ours.st_size - kMaxLogBytes, SEEK_SET) < 0)
    return layer_error("service", "cannot read " + paths.log, errno);
  std::string text(static_cast<std::size_t>(kMaxLogBytes), '\0');
  std::size_t have = 0;
  for (ssize_t n = 1; n > 0 && have<text.size(); have += n> 0 ? static_cast<std::size_t>(n) : 0)
    n = ::read(log.get(), text.data() + have, text.size() - have);
  text.resize(have);
  BAND_CHECK(base::write_file(paths.log + ".1", text, 0640));
  // Every writer has opened the log with O_APPEND, so the next line is written at the new end.
  if (::ftruncate(STDERR_FILENO, 0) != 0) return layer_error("service", "cannot truncate " + paths.log, errno);
  return done();
}

}  // namespace band::admin
