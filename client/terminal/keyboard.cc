#include "client/terminal/keyboard.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <iterator>

namespace band::client {
namespace {

// A handler can reach nothing but globals.
std::atomic<int> g_changed{-1};
struct sigaction g_before;

extern "C" void on_window_change(int) {
  const int saved = errno;
  const ssize_t ignored = ::write(g_changed.load(), "w", 1);  // a full pipe says it already
  (void)ignored;
  errno = saved;
}

// Of /usr/lib/terminfo, as Debian's ncurses-base has it, what people use.
constexpr std::string_view kKnownTypes[] = {"ansi",         "dumb",
                                            "linux",        "rxvt",
                                            "rxvt-unicode", "rxvt-unicode-256color",
                                            "screen",       "screen-256color",
                                            "tmux",         "tmux-256color",
                                            "vt100",        "vt220",
                                            "xterm",        "xterm-256color",
                                            "xterm-color",  "xterm-mono"};

}  // namespace

EscapeKeys::Keys EscapeKeys::read(std::string_view keys) {
  Keys result;
  for (const char key : keys) {
    if (std::exchange(escaped_, false)) {
      if (key == '.') {
        result.disconnect = true;
        return result;
      }
      if (key != '~') result.typed += '~';
    } else if (line_begins_ && key == '~') {
      escaped_ = true;
      continue;
    }
    result.typed += key;
    line_begins_ = key == '\r' || key == '\n';
  }
  return result;
}

bool Keyboard::there() { return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1; }

TerminalSize Keyboard::size() {
  winsize window = {};
  TerminalSize size;
  if (::ioctl(STDIN_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0 || window.ws_row == 0) return size;
  const auto side = [](unsigned short cells) {
    return static_cast<std::uint16_t>(std::min<std::int64_t>(cells, kMostTerminalSide));
  };
  return {side(window.ws_col), side(window.ws_row)};
}

std::string Keyboard::type() {
  const char* type = std::getenv("TERM");
  if (type == nullptr || *type == '\0') return "dumb";
  const bool known = std::find(std::begin(kKnownTypes), std::end(kKnownTypes), type) != std::end(kKnownTypes);
  return known ? type : "xterm-256color";
}

Status Keyboard::take() {
  int ends[2];
  if (::pipe(ends) != 0) return Error{.code = Code::Internal, .doing = "make a pipe", .err = errno};
  resized_ = Fd(ends[0]);
  changed_ = Fd(ends[1]);
  for (const int end : ends) {
    ::fcntl(end, F_SETFD, FD_CLOEXEC);
    ::fcntl(end, F_SETFL, O_NONBLOCK);
  }
  if (::tcgetattr(STDIN_FILENO, &before_) != 0)
    return Error{.code = Code::Usage, .doing = "ask the terminal for its modes", .err = errno};
  g_changed = changed_.get();
  struct sigaction action = {};
  action.sa_handler = on_window_change;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGWINCH, &action, &g_before);
  taken_ = true;
  termios raw = before_;
  ::cfmakeraw(&raw);
  if (::tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) != 0)
    return Error{.code = Code::Usage, .doing = "set the terminal's raw mode", .err = errno};
  return done();
}

void Keyboard::release() {
  if (!std::exchange(taken_, false)) return;
  ::sigaction(SIGWINCH, &g_before, nullptr);
  ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  g_changed = -1;
}

TerminalSize Keyboard::take_size() {
  char bytes[64];
  while (::read(resized_.get(), bytes, sizeof bytes) > 0) {
  }
  return size();
}

}  // namespace band::client
