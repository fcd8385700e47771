#include "client/terminal/keyboard.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "client/host/interrupt.h"
#include "client/platform/pipe.h"

namespace band::client {
namespace {

// A local terminal answers within some milliseconds; one behind a network may take longer.
constexpr int kAnswerMs = 30;

// A signal handler can use only globals.
std::atomic<int> g_changed{-1};
struct sigaction g_before;
termios g_modes;  // the modes before raw mode

void set_modes_back() { ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &g_modes); }

extern "C" void on_window_change(int) {
  const int saved = errno;
  const ssize_t ignored = ::write(g_changed.load(), "w", 1);  // if the pipe is full, a change is already pending
  (void)ignored;
  errno = saved;
}

// Common terminal types in the terminfo of Debian's ncurses-base.
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

bool Keyboard::is_terminal() { return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1; }

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
  BAND_TRY(Pipe pipe, open_pipe());
  for (const Fd* end : {&pipe.read_end, &pipe.write_end}) ::fcntl(end->get(), F_SETFL, O_NONBLOCK);
  resized_ = std::move(pipe.read_end);
  changed_ = std::move(pipe.write_end);
  termios before = {};
  if (::tcgetattr(STDIN_FILENO, &before) != 0)
    return Error{.code = Code::Usage, .doing = "cannot read the terminal's modes", .err = errno};
  g_changed = changed_.get();
  struct sigaction action = {};
  action.sa_handler = on_window_change;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGWINCH, &action, &g_before);
  taken_ = true;
  g_modes = before;
  before_sudden_end(set_modes_back);
  termios raw = before;
  ::cfmakeraw(&raw);
  if (::tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) != 0)
    return Error{.code = Code::Usage, .doing = "cannot set the terminal's raw mode", .err = errno};
  return done();
}

void Keyboard::release() {
  if (!std::exchange(taken_, false)) return;
  ::sigaction(SIGWINCH, &g_before, nullptr);
  ::tcdrain(STDOUT_FILENO);
  pollfd answer{STDIN_FILENO, POLLIN, 0};
  ::poll(&answer, 1, kAnswerMs);
  set_modes_back();  // also discards the unread input
  before_sudden_end(nullptr);
  g_changed = -1;
}

TerminalSize Keyboard::take_size() {
  char bytes[64];
  while (::read(resized_.get(), bytes, sizeof bytes) > 0) {
  }
  return size();
}

}  // namespace band::client
