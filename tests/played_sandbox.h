// A sandbox without processes: the test sends the reports in place of band-init, and reads the script in place of the
// process that would execute it.
#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "server/base/channel.h"
#include "server/base/child.h"
#include "server/base/fd.h"
#include "server/execution/sandbox.h"
#include "server/init/setup.h"

namespace band::test {

using Kind = init::Report::Kind;

inline init::Report report_of(Kind kind, std::uint32_t code = 0) {
  init::Report report;
  report.kind = static_cast<std::uint32_t>(kind);
  report.code = code;
  return report;
}

inline std::string bytes_of(const init::Report& report) {
  return {reinterpret_cast<const char*>(&report), sizeof report};
}

inline bool is_readable(const base::Fd& fd, int ms = 0) {
  pollfd one{fd.get(), POLLIN, 0};
  return ::poll(&one, 1, ms) > 0 && (one.revents & POLLIN) != 0;  // an empty pipe without a writer has POLLHUP
}

// A process whose pidfd a test sends as that of pid 1. Sandbox::end() kills it.
inline base::Child waiting_process() {
  const base::Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  base::Spawn what;
  what.argv = {"/usr/bin/sleep", "1000"};
  what.fds = {null.get(), null.get(), null.get()};
  auto child = base::spawn(what);
  REQUIRE(child.ok());
  return std::move(*child);
}

// The destructor of a Sandbox waits until pid 1 has exited: if a test has sent no pidfd, it must close `control`
// earlier.
class PlayedSandbox {
 public:
  // Script: the script is sent through a socket, and the engine cannot examine whether it was read. So a test may send
  // Started without reading the script. ScriptByPipe: through a pipe, as in production.
  enum class View { Script, ScriptByPipe, Command };
  explicit PlayedSandbox(View view = View::Script) : sandbox(make(view)) {}
  ~PlayedSandbox() { control.reset(); }
  PlayedSandbox(const PlayedSandbox&) = delete;
  PlayedSandbox& operator=(const PlayedSandbox&) = delete;

  void sends(const init::Report& report, const std::vector<int>& fds = {}) const {
    REQUIRE(base::send(control.get(), bytes_of(report), fds).ok());
  }
  // Writes `text` to the pipe that is the stderr of the script.
  void complains(const std::string& text) const {
    REQUIRE(::write(err.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }
  // Reads a complete script; fails the test when none arrives within 5 s.
  init::Script started_script() const {
    REQUIRE(is_readable(script, 5'000));
    std::uint64_t size = 0;
    REQUIRE(::read(script.get(), &size, sizeof size) == sizeof size);
    std::string bytes(size, '\0');
    for (std::size_t have = 0; have < size;) {
      REQUIRE(is_readable(script, 5'000));
      const ssize_t n = ::read(script.get(), &bytes[have], size - have);
      REQUIRE(n > 0);
      have += static_cast<std::size_t>(n);
    }
    auto decoded = init::decode_script(bytes);
    REQUIRE(decoded.ok());
    return std::move(decoded).value();
  }
  bool is_sent_something() const { return is_readable(control) || (script && is_readable(script)); }

  // The sandbox's ends of the control socket and the pipes. A command view has no `script`.
  base::Fd control, script, out, err;
  run::Sandbox sandbox;

 private:
  static base::Fd pipe_to(base::Fd& write) {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    write.reset(ends[1]);
    REQUIRE(::fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
    return base::Fd(ends[0]);
  }
  run::Sandbox make(View view) {
    auto both = base::stream_pair();
    REQUIRE(both.ok());
    control = std::move(both->second);
    base::Fd to_script;
    if (view == View::Script) {
      auto ends = base::stream_pair();
      REQUIRE(ends.ok());
      to_script = std::move(ends->first);
      script = std::move(ends->second);
    }
    if (view == View::ScriptByPipe) script = pipe_to(to_script);
    if (to_script) REQUIRE(::fcntl(to_script.get(), F_SETFL, O_NONBLOCK) == 0);
    base::Fd out_read = pipe_to(out), err_read = pipe_to(err);
    return run::Sandbox({std::move(both->first), std::move(to_script), std::move(out_read), std::move(err_read)});
  }
};

}  // namespace band::test
