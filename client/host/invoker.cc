#include "client/host/invoker.h"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <exception>

#include "client/host/environment.h"
#include "client/host/read_all.h"
#include "client/host/write_all.h"
#include "client/platform/pipe.h"
#include "client/platform/process.h"

namespace band::client {
namespace {

constexpr std::size_t kMaxWords = 16u << 10;

// Accepts only decimal digits.
template <class Id>
bool read_id(const std::string& text, Id& id) {
  const char* const end = text.data() + text.size();
  const auto [rest, wrong] = std::from_chars(text.data(), end, id);
  return wrong == std::errc() && rest == end && !text.empty();
}

Status failed(const std::string& doing) { return Error{.code = Code::Usage, .doing = "cannot " + doing, .err = errno}; }

// Permanent: the process cannot become root again, and the user's other processes cannot read its memory.
Status become(const Invoker& user) {
  if (::setgroups(1, &user.gid) != 0) return failed("drop root's groups");
  if (::setgid(user.gid) != 0) return failed("change to the group of " + user.name);
  if (::setuid(user.uid) != 0) return failed("change to user " + user.name);
  if (::getuid() != user.uid || ::geteuid() != user.uid || ::getgid() != user.gid || ::getegid() != user.gid ||
      ::setuid(0) == 0)
    return Error{.code = Code::Internal, .doing = "this process is still root"};
  if (close_memory_to_user() != 0) return failed("clear the dumpable flag");
  ::umask(077);
  ::setenv("HOME", user.home.c_str(), 1);
  for (const char* name : {"SUDO_USER", "SUDO_UID", "SUDO_GID"}) ::unsetenv(name);
  return done();
}

// The child process. Writes code, message and hint of an error to the descriptor `words`.
int child(const Invoker& user, const std::function<Status()>& act, int words) {
  const auto attempt = [&]() -> Status {
    BAND_CHECK(become(user));
    try {
      return act();
    } catch (const std::exception& error) {
      return Error{.code = Code::Internal, .doing = error.what()};
    }
  };
  const Status made = attempt();
  if (made.ok()) return 0;
  const Error& error = made.error();
  (void)write_all(words, std::string(code_name(error.code)) + '\0' + error.message() + '\0' + error.hint);
  return 1;
}

Error error_of(const Invoker& user, const std::string& words) {
  Error error{.code = Code::Internal, .doing = "as user " + user.name + ": the process exited without a report"};
  const std::size_t first = words.find('\0');
  if (first == std::string::npos) return error;
  const std::size_t second = std::min(words.find('\0', first + 1), words.size());
  if (!code_from_name(words.substr(0, first), error.code)) error.code = Code::Internal;
  error.doing = "as user " + user.name + ": " + words.substr(first + 1, second - first - 1);
  if (second < words.size()) error.hint = words.substr(second + 1);
  return error;
}

}  // namespace

Result<std::optional<Invoker>> sudo_invoker() {
  if (::getuid() != 0 || ::geteuid() != 0) return std::optional<Invoker>();
  const auto name = environment("SUDO_USER"), uid = environment("SUDO_UID"), gid = environment("SUDO_GID");
  if (!name && !uid && !gid) return std::optional<Invoker>();
  Invoker user;
  const bool numbers = uid && gid && read_id(*uid, user.uid) && read_id(*gid, user.gid);
  const passwd* entry = numbers ? ::getpwuid(user.uid) : nullptr;
  if (entry == nullptr || !name || *name != entry->pw_name || user.gid != entry->pw_gid)
    return Error{.code = Code::Usage,
                 .doing = "SUDO_USER, SUDO_UID and SUDO_GID are not the name, uid and gid of one user of this machine",
                 .hint =
                     "call sudo from the shell of the user; or unset the three variables to run the command for "
                     "root"};
  if (user.uid == 0) return std::optional<Invoker>();
  user.name = entry->pw_name;
  user.home = entry->pw_dir;
  if (user.home.starts_with('/')) return std::optional(std::move(user));
  return Error{
      .code = Code::Usage, .doing = "user " + user.name + " has no home directory", .hint = "set one in /etc/passwd"};
}

Status as_user(const Invoker& user, const std::function<Status()>& act) {
  BAND_TRY(Pipe pipe, open_pipe());
  const pid_t pid = ::fork();
  if (pid < 0) return failed("fork");
  if (pid == 0) ::_exit(child(user, act, pipe.write_end.get()));
  pipe.write_end.reset();
  const std::string words = read_all(pipe.read_end.get(), kMaxWords);
  int status = 0;
  pid_t ended = 0;
  while ((ended = ::waitpid(pid, &status, 0)) < 0 && errno == EINTR) continue;
  // Only the child's exit status proves success. If SIGCHLD is ignored, the kernel reaps the child, and waitpid(2)
  // returns no exit status.
  if (ended == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0) return done();
  return error_of(user, words);
}

Status as_invoker(const std::optional<Invoker>& user, const std::function<Status()>& act) {
  return user ? as_user(*user, act) : act();
}

}  // namespace band::client
