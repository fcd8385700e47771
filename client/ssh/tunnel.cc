#include "client/ssh/tunnel.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>

#include "client/host/environment.h"
#include "client/host/file_lock.h"
#include "client/host/spawn.h"
#include "schemas/core/fd.h"

namespace band::client {
namespace {

constexpr std::size_t kMaxSocketPath =
    103;                                // sun_path on macOS without the final NUL (unix(4)); Linux has four bytes more
constexpr std::size_t kTemporary = 17;  // length of the suffix that ssh adds to its control socket while it creates it
constexpr std::size_t kMaxLog = 16u << 10;
constexpr int kMostMs = 60'000;  // timeout of ssh when it may not prompt

std::string place_of(const std::string& target, const char* what) {
  return state_directory() + "/ssh/" + target + "." + what;
}

// The last line that ssh printed.
std::string last_said(const std::string& log) {
  auto text = read_file(log, kMaxLog, Code::Internal);
  if (!text.ok()) return "";
  while (!text->empty() && (text->back() == '\n' || text->back() == '\r')) text->pop_back();
  return text->substr(text->rfind('\n') == std::string::npos ? 0 : text->rfind('\n') + 1);
}

// The lock that is held while the tunnel is opened or closed.
Result<Fd> lock(const std::string& target) {
  const std::string directory = state_directory() + "/ssh";
  BAND_CHECK(make_private_directory(directory));
  if (::chmod(directory.c_str(), 0700) != 0)  // the directory may have been created by another program
    return Error{.code = Code::Usage, .doing = "cannot set the mode of " + directory, .err = errno};
  return lock_file(place_of(target, "lock"));
}

// Returns whether the ssh that created the socket still runs.
bool takes_connections(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return false;
  path.copy(address.sun_path, path.size());
  const Fd socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  return socket && ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

// Ends the background ssh through its control socket. Reports no error: there may be none.
void end_background(const std::string& program, const Target& target) {
  const std::string control = place_of(target.name, "control");
  if (::access(control.c_str(), F_OK) == 0)
    (void)run_logged(program, {"-F", "none", "-S", control, "-O", "exit", "--", "band"}, place_of(target.name, "ended"),
                     kMostMs);
  ::unlink(control.c_str());
  ::unlink(place_of(target.name, "server").c_str());
}

}  // namespace

Result<std::string> tunnel_socket(const std::string& target) {
  const std::string path = place_of(target, "server");
  if (place_of(target, "control").size() + kTemporary <= kMaxSocketPath) return path;
  return Error{.code = Code::Usage,
               .doing = path + " is longer than the path of a socket may be",
               .hint = "give the target a shorter name"};
}

Result<bool> open_tunnel(const Target& target, Questions questions) {
  BAND_TRY(const std::string program, ssh_program());
  BAND_TRY(const Destination destination, parse_destination(target.ssh));
  const bool lived = takes_connections(target.host);
  BAND_TRY(const Fd alone, lock(target.name));
  if (takes_connections(target.host)) return !lived;
  end_background(program, target);
  const std::string log = place_of(target.name, "log"), control = place_of(target.name, "control");
  const auto failed = [&] {
    const std::string said = last_said(log);
    return Error{.code = Code::ServerUnreachable,
                 .doing = "ssh to " + target.ssh + " failed" + (said.empty() ? "" : ": " + said),
                 .hint = "`" + login_command(destination) +
                         "` must work without a prompt: load the key with `ssh-add`; the output of ssh: " + log};
  };
  const auto words = ssh_arguments(destination, questions == Questions::Allowed,
                                   {"-f", "-N", "-M", "-S", control, "-o", "ControlPersist=no",     //
                                    "-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=3",  //
                                    "-o", "StreamLocalBindMask=0177", "-o", "StreamLocalBindUnlink=yes"});
  BAND_TRY(const int status, run_logged(program, words, log, questions == Questions::Allowed ? 0 : kMostMs));
  if (status != 0) return failed();
  // A separate call, because the arguments of the login clear all forwardings.
  const std::string forward = target.host + ":127.0.0.1:" + std::to_string(target.server_port);
  BAND_TRY(const int forwarded, run_logged(program,
                                           {"-F", "none", "-S", control, "-o", "ExitOnForwardFailure=yes", "-O",
                                            "forward", "-L", forward, "--", "band"},
                                           log, kMostMs));
  if (forwarded == 0) return true;
  end_background(program, target);
  return failed();
}

void close_tunnel(const std::string& target) {
  Target named;
  named.name = target;
  if (const auto program = ssh_program(); program.ok())
    if (const auto alone = lock(target); alone.ok()) end_background(*program, named);
  for (const char* what : {"log", "ended"}) ::unlink(place_of(target, what).c_str());
}

}  // namespace band::client
