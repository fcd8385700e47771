#include "server/execution/terminal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>

#include <cerrno>

namespace band::run {

Result<Terminal> open_terminal(const slot::Slot& slot, TerminalSize size) {
  Terminal terminal;
  terminal.ours = base::Fd(::open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  if (!terminal.ours) return layer_error("run", "cannot open /dev/ptmx", errno);
  int locked = 0;
  if (::ioctl(terminal.ours.get(), TIOCSPTLCK, &locked) != 0)
    return layer_error("run", "cannot unlock a terminal", errno);
  // Opened by TIOCGPTPEER, not by path: another file system may be mounted over that path.
  terminal.script = base::Fd(::ioctl(terminal.ours.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!terminal.script) return layer_error("run", "cannot open the script's end of a terminal", errno);
  if (::fchown(terminal.script.get(), slot.uid(), slot.gid()) != 0 || ::fchmod(terminal.script.get(), 0600) != 0)
    return layer_error("run", "cannot change the owner and mode of a terminal", errno);
  struct stat info {};
  if (::fstat(terminal.script.get(), &info) != 0) return layer_error("run", "cannot fstat a terminal", errno);
  terminal.device = info.st_rdev;
  termios modes{};
  if (::tcgetattr(terminal.script.get(), &modes) != 0)
    return layer_error("run", "cannot read a terminal's modes", errno);
  modes.c_iflag |= IUTF8;  // backspace deletes a character, not a byte
  if (::tcsetattr(terminal.script.get(), TCSANOW, &modes) != 0)
    return layer_error("run", "cannot set a terminal's modes", errno);
  BAND_CHECK(resize_terminal(terminal.ours.get(), size));
  return terminal;
}

Status resize_terminal(int ours, TerminalSize size) {
  winsize window{};
  window.ws_col = size.columns;
  window.ws_row = size.rows;
  if (::ioctl(ours, TIOCSWINSZ, &window) != 0) return layer_error("run", "cannot set the terminal's size", errno);
  return done();
}

}  // namespace band::run
