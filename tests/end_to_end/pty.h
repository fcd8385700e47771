// Runs a program on a pseudo-terminal, with input as from a person.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "tests/end_to_end/server_fixture.h"

namespace band::test {

class Pty {
 public:
  Pty(const Words& argv, const Environment& env, const std::string& directory, unsigned short columns = 80,
      unsigned short rows = 24) {
    ours_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    REQUIRE(ours_ >= 0);
    REQUIRE(::grantpt(ours_) == 0);
    REQUIRE(::unlockpt(ours_) == 0);
    const std::string name = ::ptsname(ours_);
    theirs_ = ::open(name.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);  // keeps the modes readable after the program's exit
    REQUIRE(theirs_ >= 0);
    resize(columns, rows);
    before_ = modes();
    std::vector<char*> words;
    for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    std::vector<std::string> variables;
    for (const auto& [key, value] : env) variables.push_back(std::string(key).append("=").append(value));
    std::vector<char*> environment;
    environment.reserve(variables.size() + 1);
    for (const std::string& variable : variables) environment.push_back(const_cast<char*>(variable.c_str()));
    environment.push_back(nullptr);
    pid_ = ::fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) {
      ::setsid();
      const int terminal = ::open(name.c_str(), O_RDWR);
      for (const int fd : {0, 1, 2}) ::dup2(terminal, fd);
      ::ioctl(0, TIOCSCTTY, 0);
      if (::chdir(directory.c_str()) != 0) ::_exit(126);
      ::execve(words[0], words.data(), environment.data());
      ::_exit(127);
    }
  }
  ~Pty() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    ::close(theirs_);
    if (ours_ >= 0) ::close(ours_);
  }
  Pty(const Pty&) = delete;
  Pty& operator=(const Pty&) = delete;

  void type(std::string_view keys) const {
    REQUIRE(::write(ours_, keys.data(), keys.size()) == static_cast<ssize_t>(keys.size()));
  }
  void resize(unsigned short columns, unsigned short rows) const {
    winsize window{};
    window.ws_col = columns;
    window.ws_row = rows;
    REQUIRE(::ioctl(ours_, TIOCSWINSZ, &window) == 0);
  }
  termios modes() const {
    termios modes{};
    REQUIRE(::tcgetattr(theirs_, &modes) == 0);
    return modes;
  }

  // The modes before the program was started.
  const termios& modes_before() const { return before_; }

  // Waits until `text` is on the screen after the text of the previous wait. Returns false after 20 s.
  bool sees(const std::string& text, int ms = 20'000) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(scaled(ms));
    for (;;) {
      if (const std::size_t at = screen_.find(text, seen_); at != std::string::npos) {
        seen_ = at + text.size();
        return true;
      }
      if (std::chrono::steady_clock::now() > until) return false;
      take(50);
    }
  }
  // Returns its exit status; 128+N if signal N killed it; -1 when it does not exit in time.
  int wait(int ms = 20'000) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(scaled(ms));
    int status = 0;
    while (::waitpid(pid_, &status, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > until) return -1;
      take(20);
    }
    pid_ = -1;
    take(0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  // Closes the terminal, as a closed window does.
  void hang_up() {
    ::close(ours_);
    ours_ = -1;
  }
  const std::string& screen() const { return screen_; }
  pid_t pid() const { return pid_; }

 private:
  void take(int ms) {
    if (ours_ < 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(ms));
      return;
    }
    pollfd one{ours_, POLLIN, 0};
    while (::poll(&one, 1, ms) > 0 && (one.revents & POLLIN) != 0) {
      char bytes[4096];
      const ssize_t n = ::read(ours_, bytes, sizeof bytes);
      if (n <= 0) return;
      screen_.append(bytes, static_cast<std::size_t>(n));
      ms = 0;
    }
  }

  int ours_ = -1, theirs_ = -1;
  pid_t pid_ = -1;
  std::string screen_;
  std::size_t seen_ = 0;
  termios before_{};
};

}  // namespace band::test

#define SEES(terminal, text) REQUIRE_MESSAGE((terminal).sees(text), (text), " is not in:\n", (terminal).screen())
