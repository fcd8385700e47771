#include "server/init/warden.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "server/base/channel.h"
#include "server/base/io.h"
#include "server/init/become.h"
#include "server/init/report.h"
#include "server/layout/places.h"
#include "server/shim/answer.h"

namespace band::init {
namespace {

using shim::AnswerHead;

struct Errand {
  std::uint64_t id = 0;
  const base::Fd* domain = nullptr;  // Landlock rule set of the program
  base::Fd shim;                     // connection to the shim: receives signals, sends the answer
  base::Fd command;                  // memfd with the encoded Command
  std::vector<base::Fd> descriptors;
};

// Reads one order. All idle wardens read from one socket, and the first reader consumes the order. Orders have one
// size, so each read returns a whole one.
Result<Errand> next_errand(const std::vector<base::Fd>& domains) {
  BAND_TRY(base::Message message, base::receive(kControlFd, sizeof(StartCommand), base::kMostMessageFds));
  if (message.text.empty()) gone();
  StartCommand start;
  if (message.text.size() != sizeof start || message.fds.size() < 2)
    return layer_error("init", "received a malformed order", 0);
  std::memcpy(&start, message.text.data(), sizeof start);
  if (start.domain >= domains.size()) return layer_error("init", "received an order for an unknown command", 0);
  Errand errand;
  errand.id = start.id;
  errand.domain = &domains[start.domain];
  errand.shim = std::move(message.fds[0]);
  errand.command = std::move(message.fds[1]);
  for (std::size_t i = 2; i < message.fds.size(); ++i) errand.descriptors.push_back(std::move(message.fds[i]));
  return errand;
}

Result<Command> read_command(const base::Fd& memory) {
  struct stat info {};
  if (::fstat(memory.get(), &info) != 0 || info.st_size < 0 ||
      static_cast<std::size_t>(info.st_size) > kMaxCommandBytes)
    return layer_error("init", "cannot read the command", errno);
  std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t n = ::pread(memory.get(), bytes.data() + have, bytes.size() - have, static_cast<off_t>(have));
    if (n <= 0) return layer_error("init", "cannot read the command", errno);
    have += static_cast<std::size_t>(n);
  }
  return decode_command(bytes);
}

bool has_number(const Command& command, int number) {
  return std::find(command.descriptors.begin(), command.descriptors.end(), number) != command.descriptors.end();
}

// Duplicates `fd` to a number that the command does not use. The script chooses the numbers of its command's
// descriptors, and they may collide with those that the start still needs. Tries about 20 numbers at most.
Result<base::Fd> out_of_the_way(const base::Fd& fd, const Command& command) {
  for (int from = 3;;) {
    base::Fd moved(::fcntl(fd.get(), F_DUPFD_CLOEXEC, from));
    if (!moved) return layer_error("init", "cannot move a descriptor", errno);
    if (!has_number(command, moved.get())) return moved;
    from = moved.get() + 1;
  }
}

// Refuses numbers that RLIMIT_NOFILE does not allow to a process of the script: the kernel's descriptor table is as
// long as the highest number.
Status check_numbers(const Setup& setup, const Command& command) {
  for (const limits::Rlimit& limit : setup.limits)
    for (const int number : command.descriptors)
      if (limit.resource == RLIMIT_NOFILE && static_cast<std::uint64_t>(number) >= limit.value)
        return layer_error(
            "init",
            "cannot place descriptor " + std::to_string(number) + ": its number is not below limit.maxOpenFiles", 0);
  return done();
}

// Places the command's descriptors under the numbers that they have in the caller. Closes those of 0 to 2 that the
// caller had closed. All other descriptors of this process are close-on-exec.
Status place_descriptors(const Command& command, const std::vector<base::Fd>& given) {
  if (given.size() != command.descriptors.size()) return layer_error("init", "cannot place the descriptors", EINVAL);
  for (int standard = 0; standard < 3; ++standard)
    if (!has_number(command, standard)) ::close(standard);
  for (std::size_t i = 0; i < given.size(); ++i)
    if (::dup2(given[i].get(), command.descriptors[i]) < 0)
      return layer_error("init", "cannot place descriptor " + std::to_string(command.descriptors[i]), errno);
  return done();
}

// Refuses the program's own home as working directory. The script chooses the working directory, and a forged request
// can name any. A program that writes to its working directory could there write the configuration that it reads at its
// next start (`curl -O`, .curlrc), with arguments that the rules allow.
Status leave_home_alone(const std::string& name) {
  const std::string home = std::string(layout::kHomes) + "/" + name;
  char here[PATH_MAX];
  if (::getcwd(here, sizeof here) == nullptr) return layer_error("init", "cannot find the working directory", errno);
  const std::string inside = std::string(here) + "/";
  if (!inside.starts_with(home + "/") || inside.starts_with(home + "/tmp/")) return done();
  return layer_error(
      "init", std::string("cannot use the working directory ") + here + ": this directory is in the home of " + name,
      0);
}

// Returns only on failure. `errors`, the pipe for the error report, may be moved to another number.
Status run_command(const Setup& setup, Errand& errand, const Command& command, base::Fd& errors) {
  ::close(kControlFd);
  BAND_CHECK(check_numbers(setup, command));
  BAND_TRY(const base::Fd domain, out_of_the_way(*errand.domain, command));
  BAND_TRY(errors, out_of_the_way(errors, command));
  for (base::Fd& fd : errand.descriptors) {
    if (!has_number(command, fd.get())) continue;
    BAND_TRY(fd, out_of_the_way(fd, command));
  }
  BAND_CHECK(place_descriptors(command, errand.descriptors));
  BAND_CHECK(become(setup, command.directory, domain));
  BAND_CHECK(leave_home_alone(command.argv[1]));
  for (int signal = 1; signal < 32; ++signal)
    if ((command.ignored >> (signal - 1) & 1) != 0) ::signal(signal, SIG_IGN);
  ::umask(command.umask & 0777);
  return execute(command.argv[0].c_str(), {command.argv.begin() + 1, command.argv.end()}, command.env);
}

class Warden {
 public:
  explicit Warden(const Setup& setup) : setup_(setup) {
    end_.kind = static_cast<std::uint32_t>(Report::Kind::CommandEnded);
    end_.signalled = 1;  // default, for a command whose end is not observed: it was killed
    end_.code = SIGKILL;
  }

  [[noreturn]] void run(const std::vector<base::Fd>& domains, int taken) {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    const base::Fd deaths = watch_children();
    auto errand = next_errand(domains);
    if (!errand.ok()) fail(errand.error());
    errand_ = std::move(*errand);
    end_.id = errand_.id;
    if (::write(taken, "t", 1) != 1) fail(layer_error("init", "cannot request the next warden from the holder", errno));
    auto command = read_command(errand_.command);
    if (!command.ok()) fail(command.error());
    errand_.command.reset();  // releases memory that is charged to the engine; a command may run for long
    if (const auto failed = start(*command)) finish_unstarted(*command, *failed);
    while (!ended_) {
      pollfd events[2] = {{deaths.get(), POLLIN, 0}, {errand_.shim.get(), POLLIN, 0}};
      if (::poll(events, 2, -1) < 0 && errno != EINTR) break;
      if (events[1].revents != 0 && !pass_signal()) break;  // the shim has disconnected
      drain(deaths);
      reap();
    }
    kill_tree();
    finish(end_.signalled != 0 ? AnswerHead::Kind::Signalled : AnswerHead::Kind::Exited);
  }

 private:
  // Returns nullopt when the command runs, otherwise the failure between fork and exec.
  std::optional<Report> start(const Command& command) {
    int errors[2];
    if (::pipe2(errors, O_CLOEXEC) != 0) fail(layer_error("init", "pipe", errno));
    pid_ = ::fork();
    if (pid_ == 0) {
      base::Fd to_parent(errors[1]);
      const Report message = failure(run_command(setup_, errand_, command, to_parent).error());
      if (::write(to_parent.get(), &message, sizeof message) != sizeof message) ::_exit(126);
      ::_exit(126);
    }
    if (pid_ < 0) return failure(layer_error("init", "fork", errno));
    ::close(errors[1]);
    errand_.descriptors.clear();  // a copy here would keep a pipe open that the command has closed
    return failure_before_exec(base::Fd(errors[0]));
  }

  // Reads one signal, a byte, and sends it to the command. Returns false on end of file and for any other byte.
  bool pass_signal() {
    unsigned char signal = 0;
    const ssize_t n = ::recv(errand_.shim.get(), &signal, 1, MSG_DONTWAIT);
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    const auto* known = std::find(std::begin(shim::kForwardedSignals), std::end(shim::kForwardedSignals), int{signal});
    if (n == 0 || known == std::end(shim::kForwardedSignals)) return false;
    if (ended_) return true;
    const bool of_group = signal == SIGTSTP || signal == SIGCONT;  // become() has made it a group leader
    ::kill(of_group ? -pid_ : pid_, signal == SIGTSTP ? SIGSTOP : signal);
    return true;
  }

  // Reaps all dead children. Returns true while a child is left.
  bool reap() {
    for (;;) {
      int status = 0;
      rusage usage{};
      const pid_t pid = ::wait4(-1, &status, WNOHANG, &usage);
      if (pid == 0) return true;
      if (pid < 0) return false;
      end_.cpu_us += cpu_us_of(usage);
      if (pid != pid_) continue;
      ended_ = true;
      note_death(status, end_);
    }
  }

  // Kills and reaps until no child is left. Dead children are reaped only when all are dead: until then each counts for
  // RLIMIT_NPROC, so that a tree that forks faster than it is killed reaches this limit.
  void kill_tree() {
    while (reap()) {
      while (kill_children()) {
        pollfd pause{-1, 0, 0};
        ::poll(&pause, 1, 1);
      }
    }
  }

  // Kills all children. Returns false when none was alive. The pid of a child is not reused before it has been reaped.
  bool kill_children() {
    const auto children = base::read_file("/proc/thread-self/children", 1 << 20);
    if (!children.ok()) fail(children.error());
    bool alive = false;
    const char* at = children->c_str();
    char* end = nullptr;
    for (long pid = std::strtol(at, &end, 10); end != at; pid = std::strtol(at, &end, 10)) {
      siginfo_t dead{};
      const bool asked = ::waitid(P_PID, static_cast<id_t>(pid), &dead, WEXITED | WNOHANG | WNOWAIT) == 0;
      if (asked && dead.si_pid == 0) {
        ::kill(static_cast<pid_t>(pid), SIGKILL);
        alive = true;
      }
      at = end;
    }
    return alive;
  }

  // Reports to the engine before it answers the shim: the ledger has the end before the shim's caller continues.
  [[noreturn]] void finish(AnswerHead::Kind kind, std::string_view text = {}) {
    report(end_);
    shim::answer(errand_.shim.get(), kind, end_.code, text);
    ::_exit(0);
  }

  // A layer that cannot be set up fails the run; a program that cannot be started fails only the command.
  [[noreturn]] void finish_unstarted(const Command& command, const Report& failed) {
    kill_tree();
    if (std::strcmp(failed.layer, "init") != 0) {
      report(failed);
      ::_exit(1);
    }
    std::string text = "band: cannot start " + command.argv[1].substr(0, shim::kMaxNameBytes) + ": " + failed.text;
    if (failed.code != 0) text += std::string(": ") + ::strerror(static_cast<int>(failed.code));
    text += "\n";
    end_.signalled = 0;
    end_.code = shim::kCannotRun;
    std::copy(std::begin(failed.text), std::end(failed.text), std::begin(end_.text));
    finish(AnswerHead::Kind::Refused, text);
  }

  const Setup& setup_;
  Errand errand_;
  pid_t pid_ = -1;
  bool ended_ = false;
  Report end_;
};

}  // namespace

void ward(const Setup& setup, const std::vector<base::Fd>& domains, int taken) { Warden(setup).run(domains, taken); }

}  // namespace band::init
