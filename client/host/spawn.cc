#include "client/host/spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "client/host/environment.h"
#include "schemas/core/fd.h"

extern char** environ;

namespace band::client {
namespace {

constexpr std::size_t kMaxOutput = 1u << 20;

std::string read_all(int fd) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    // Read on beyond the cap, so that the program does not hang on a full pipe.
    text.append(buffer, std::min(static_cast<std::size_t>(got), kMaxOutput - std::min(kMaxOutput, text.size())));
  }
}

// posix_spawn's two records, freed together.
struct SpawnPlan {
  SpawnPlan() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
  }
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

}  // namespace

Result<std::string> sibling_program(const std::string& name) {
  const std::string path = executable_directory() + "/" + name;
  if (::access(path.c_str(), X_OK) == 0) return path;
  return Error{.code = Code::Usage,
               .doing = "there is no " + path,
               .hint = "band-server is installed beside band on Linux; on other systems it runs in a virtual machine"};
}

Result<Finished> run_program(const std::string& program, const std::vector<std::string>& arguments, bool capture,
                             bool quiet) {
  const auto failed = [&](int err) { return Error{.code = Code::Internal, .doing = "start " + program, .err = err}; };
  Fd read_end, write_end;
  SpawnPlan plan;
  if (capture) {
    int ends[2];
    if (::pipe(ends) != 0) return failed(errno);
    read_end = Fd(ends[0]);
    write_end = Fd(ends[1]);
    for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
    ::posix_spawn_file_actions_adddup2(&plan.actions, write_end.get(), STDOUT_FILENO);
  }
  if (quiet) ::posix_spawn_file_actions_addopen(&plan.actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  sigset_t defaults;       // main ignores SIGPIPE; a child expects it
  sigemptyset(&defaults);  // without `::`: macros on macOS
  sigaddset(&defaults, SIGPIPE);
  ::posix_spawnattr_setsigdefault(&plan.attributes, &defaults);
  ::posix_spawnattr_setflags(&plan.attributes, POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  if (const int err = ::posix_spawn(&pid, program.c_str(), &plan.actions, &plan.attributes, argv.data(), environ);
      err != 0)
    return failed(err);
  write_end.reset();
  Finished finished;
  if (capture) finished.out = read_all(read_end.get());
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return failed(errno);
  finished.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return finished;
}

}  // namespace band::client
