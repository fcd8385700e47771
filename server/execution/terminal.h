// The terminal of an execution: a pseudo-terminal, see pty(7) and ioctl_tty(2).
//
// Promises: the slot's uid owns the script's end of the terminal. A process in a view can use the terminal only if the
// process has a descriptor of the script's end, because no view contains the machine's /dev/pts. The seccomp filter
// restricts the ioctls on a terminal (no TIOCSTI, no TIOCLINUX).
#pragma once

#include <sys/types.h>

#include "schemas/core/result.h"
#include "schemas/wire/wire.h"
#include "server/base/fd.h"
#include "server/slot/slot.h"

namespace band::run {

struct Terminal {
  base::Fd ours;     // the engine's end, non-blocking
  base::Fd script;   // the script's end, for descriptors 0 to 2
  dev_t device = 0;  // device number of the script's end (st_rdev, stat(2))
};
// Makes a terminal of this size.
Result<Terminal> open_terminal(const slot::Slot& slot, TerminalSize size);

// Sets the size of a terminal. The first argument is the engine's end. If the size changes, the kernel sends SIGWINCH
// to the terminal's foreground process group.
Status resize_terminal(int ours, TerminalSize size);

}  // namespace band::run
