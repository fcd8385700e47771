#include "client/host/spawn.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <memory>

#include "client/host/environment.h"
#include "client/host/read_all.h"
#include "client/host/tree.h"
#include "client/host/write_all.h"
#include "client/platform/pipe.h"

extern char** environ;

namespace band::client {
namespace {

constexpr std::size_t kMaxOutput = 1u << 20;

// The two structures of posix_spawn(3), destroyed together.
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

// main ignores SIGPIPE; a child process gets the default action.
void default_signals(SpawnPlan& plan) {
  sigset_t defaults;
  sigemptyset(&defaults);  // without `::`: macros on macOS
  sigaddset(&defaults, SIGPIPE);
  ::posix_spawnattr_setsigdefault(&plan.attributes, &defaults);
  ::posix_spawnattr_setflags(&plan.attributes, POSIX_SPAWN_SETSIGDEF);
}

Result<pid_t> spawn(const SpawnPlan& plan, const std::string& program, const std::vector<std::string>& arguments,
                    char* const* variables) {
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  if (const int err = ::posix_spawn(&pid, program.c_str(), &plan.actions, &plan.attributes, argv.data(), variables);
      err != 0)
    return Error{.code = Code::Internal, .doing = "cannot start " + program, .err = err};
  return pid;
}

constexpr int kUnknownStatus = 255;  // the child was already reaped (SIGCHLD ignored, or by another waitpid)

Result<int> reap(pid_t pid, const std::string& program) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return Error{.code = Code::Internal, .doing = "cannot wait for " + program, .err = errno};
  return exit_status_of(status);
}

using Clock = std::chrono::steady_clock;

// Returns false after `most` bytes, or at `deadline`.
bool read_until(Clock::time_point deadline, int fd, std::size_t most, std::string& text) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd readable{fd, POLLIN, 0};
    if (left <= 0) return false;
    if (::poll(&readable, 1, static_cast<int>(left)) <= 0) continue;
    char buffer[4096];
    const ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    text.append(buffer, std::min(static_cast<std::size_t>(got), most - text.size()));
    if (text.size() >= most) return false;
  }
}

// Waits until the child exits, and kills it at the deadline: a program that has closed its output can still run.
int reap_until(Clock::time_point deadline, pid_t pid, bool& over) {
  int status = 0;
  for (;;) {
    const pid_t ended = ::waitpid(pid, &status, over ? 0 : WNOHANG);
    if (ended == pid) return exit_status_of(status);
    if (ended < 0 && errno != EINTR) return kUnknownStatus;
    if (!over && Clock::now() >= deadline) {
      ::kill(pid, SIGKILL);
      over = true;
    } else if (!over) {
      ::usleep(500);
    }
  }
}

// Arguments for a /bin/sh that sets the limits for which posix_spawn has no attribute, and then executes `program`. A
// limit that the system does not support is skipped.
std::vector<std::string> bounded(const std::string& program, const std::vector<std::string>& arguments,
                                 const Bounds& bounds) {
  std::string text;
  if (bounds.memory > 0) text += "ulimit -v " + std::to_string(bounds.memory >> 10) + " 2>/dev/null || :; ";
  if (bounds.cpu_seconds > 0) text += "ulimit -t " + std::to_string(bounds.cpu_seconds) + " 2>/dev/null || :; ";
  std::vector<std::string> words{"-c", text + "exec \"$@\"", "sh", program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

using File = std::unique_ptr<FILE, int (*)(FILE*)>;

}  // namespace

int exit_status_of(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

std::string find_program(const std::string& name) {
  const std::string path = environment("PATH").value_or("");
  for (std::size_t start = 0; start < path.size();) {
    const std::size_t end = std::min(path.find(':', start), path.size());
    const std::string directory = path.substr(start, end - start);
    start = end + 1;
    if (!directory.starts_with('/')) continue;
    std::string program = join_path(directory, name);
    struct ::stat info = {};
    if (::stat(program.c_str(), &info) == 0 && S_ISREG(info.st_mode) && ::access(program.c_str(), X_OK) == 0)
      return program;
  }
  return "";
}

Result<std::string> sibling_program(const std::string& name) {
  const std::string path = executable_directory() + "/" + name;
  if (::access(path.c_str(), X_OK) == 0) return path;
  return Error{
      .code = Code::Usage,
      .doing = path + " does not exist or is not executable",
      .hint =
          "on Linux, band-server must be in the same directory as band; on other systems, the server runs in a virtual "
          "machine (`band setup`)"};
}

Result<Finished> run_program(const std::string& program, const std::vector<std::string>& arguments, bool capture,
                             bool quiet) {
  Pipe pipe;
  SpawnPlan plan;
  if (capture) {
    BAND_TRY(pipe, open_pipe());
    ::posix_spawn_file_actions_adddup2(&plan.actions, pipe.write_end.get(), STDOUT_FILENO);
  }
  if (quiet) ::posix_spawn_file_actions_addopen(&plan.actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  default_signals(plan);
  BAND_TRY(const pid_t pid, spawn(plan, program, arguments, environ));
  pipe.write_end.reset();
  Finished finished;
  if (capture) finished.out = read_all(pipe.read_end.get(), kMaxOutput);
  BAND_TRY(finished.exit_status, reap(pid, program));
  return finished;
}

Result<pid_t> start_program(const std::string& program, const std::vector<std::string>& arguments,
                            const std::map<std::string, std::string>& variables, int out, int err) {
  SpawnPlan plan;
  ::posix_spawn_file_actions_addopen(&plan.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&plan.actions, out, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&plan.actions, err, STDERR_FILENO);
  default_signals(plan);
  std::vector<std::string> lines;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string line = *variable;
    if (variables.count(line.substr(0, line.find('='))) == 0) lines.push_back(line);
  }
  for (const auto& [name, value] : variables) lines.push_back(std::string(name).append("=").append(value));
  std::vector<char*> all;
  all.reserve(lines.size() + 1);
  for (std::string& line : lines) all.push_back(line.data());
  all.push_back(nullptr);
  return spawn(plan, program, arguments, all.data());
}

Result<int> run_logged(const std::string& program, const std::vector<std::string>& arguments, const std::string& log,
                       int ms) {
  ::unlink(log.c_str());
  const Fd file(::open(log.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return Error{.code = Code::Usage, .doing = "cannot create " + log, .err = errno};
  BAND_TRY(const pid_t pid, start_program(program, arguments, {}, file.get(), file.get()));
  if (ms == 0) return reap(pid, program);
  bool over = false;
  return reap_until(Clock::now() + std::chrono::milliseconds(ms), pid, over);
}

Result<Examined> examine(const std::string& program, const std::vector<std::string>& arguments,
                         const std::string& input, const Bounds& bounds) {
  // A temporary file, not a pipe: writing stdin and reading the output at the same time could deadlock.
  const File file(std::tmpfile(), std::fclose);
  if (!file || !write_all(::fileno(file.get()), input) || ::lseek(::fileno(file.get()), 0, SEEK_SET) != 0)
    return Error{.code = Code::Internal, .doing = "cannot write a temporary file", .err = errno};
  BAND_TRY(Pipe pipe, open_pipe());
  SpawnPlan plan;
  ::posix_spawn_file_actions_adddup2(&plan.actions, ::fileno(file.get()), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&plan.actions, pipe.write_end.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&plan.actions, pipe.write_end.get(), STDERR_FILENO);
  default_signals(plan);
  char variable[] = "LC_ALL=C";
  char* const variables[] = {variable, nullptr};
  const auto deadline = Clock::now() + std::chrono::milliseconds(bounds.ms);
  const bool by_shell = bounds.memory > 0 || bounds.cpu_seconds > 0;
  BAND_TRY(const pid_t pid, by_shell ? spawn(plan, "/bin/sh", bounded(program, arguments, bounds), variables)
                                     : spawn(plan, program, arguments, variables));
  pipe.write_end.reset();
  Examined examined;
  examined.over = !read_until(deadline, pipe.read_end.get(), bounds.output, examined.text);
  if (examined.over) ::kill(pid, SIGKILL);
  examined.exit_status = reap_until(deadline, pid, examined.over);
  return examined;
}

}  // namespace band::client
