#include "client/host/follow.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "client/host/spawn.h"
#include "client/platform/pipe.h"

namespace band::client {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxLine = 64u << 10;
constexpr std::size_t kMostAtOnce = 256u << 10;
constexpr int kLookMs = 50;  // interval of waitpid(2): background processes of the program can keep its pipes open

// Splits stdout or stderr of the program into lines.
class Lines {
 public:
  Lines(Fd fd, const std::function<void(const std::string&)>& take) : fd_(std::move(fd)), take_(take) {
    ::fcntl(fd_.get(), F_SETFL, O_NONBLOCK);
  }

  int fd() const { return fd_.get(); }
  // Reads the available bytes, at most kMostAtOnce, so that a program that writes continuously does not delay the check
  // of the deadline. Closes the descriptor at EOF.
  void read() {
    char buffer[4096];
    for (std::size_t left = kMostAtOnce; left >= sizeof buffer; left -= sizeof buffer) {
      const ssize_t got = ::read(fd_.get(), buffer, sizeof buffer);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return;
      if (got == 0) return fd_.reset();
      text_.append(buffer, static_cast<std::size_t>(got));
      give();
    }
  }
  void end() {
    if (fd_) read();
    if (!text_.empty() && take_) take_(text_);
  }

 private:
  void give() {
    std::size_t from = 0;
    for (std::size_t end = text_.find('\n'); end != std::string::npos; end = text_.find('\n', from)) {
      if (take_) take_(text_.substr(from, end - from));
      from = end + 1;
    }
    text_.erase(0, from);
    if (text_.size() < kMaxLine) return;
    if (take_) take_(text_);
    text_.clear();
  }

  Fd fd_;
  const std::function<void(const std::string&)>& take_;
  std::string text_;
};

}  // namespace

Result<int> follow_program(const std::string& program, const Following& what) {
  BAND_TRY(Pipe out, open_pipe());
  BAND_TRY(Pipe err, open_pipe());
  BAND_TRY(const pid_t pid,
           start_program(program, what.arguments, what.variables, out.write_end.get(), err.write_end.get()));
  out.write_end.reset();
  err.write_end.reset();
  Lines out_lines(std::move(out.read_end), what.out), err_lines(std::move(err.read_end), what.err);
  const auto deadline = Clock::now() + std::chrono::milliseconds(what.ms);
  for (;;) {
    pollfd both[] = {{out_lines.fd(), POLLIN, 0}, {err_lines.fd(), POLLIN, 0}};
    (void)::poll(both, 2, kLookMs);
    if (both[0].revents != 0) out_lines.read();
    if (both[1].revents != 0) err_lines.read();
    const bool late = what.ms > 0 && Clock::now() >= deadline;
    if (late) ::kill(pid, SIGKILL);
    int status = 0;
    const pid_t ended = ::waitpid(pid, &status, late ? 0 : WNOHANG);
    if (ended == 0 || (ended < 0 && errno == EINTR)) continue;
    out_lines.end();
    err_lines.end();
    if (late)
      return Error{.code = Code::Timeout,
                   .doing = program + " did not exit within " + std::to_string(what.ms / 1000) + " s"};
    if (ended < 0) return Error{.code = Code::Internal, .doing = "cannot wait for " + program, .err = errno};
    return exit_status_of(status);
  }
}

}  // namespace band::client
