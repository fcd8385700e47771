// The terminal of an execution: a pseudo-terminal, see pty(7) and ioctl_tty(2).
//
// Promises: the script's end belongs to the slot's uid and is reached by its descriptors alone: the machine's /dev/pts
// is in no view. What the script may do with it is the filter of system calls' to say (no TIOCSTI, no TIOCLINUX).
#pragma once

#include <sys/types.h>

#include "schemas/core/result.h"
#include "schemas/wire/wire.h"
#include "server/base/fd.h"
#include "server/slot/slot.h"

namespace band::run {

struct Terminal {
  base::Fd ours;    // does not block
  base::Fd script;  // for descriptors 0 to 2
  dev_t device = 0;
};
Result<Terminal> open_terminal(const slot::Slot& slot, TerminalSize size);

// The kernel sends SIGWINCH to the terminal's foreground process group.
Status resize_terminal(int ours, TerminalSize size);

}  // namespace band::run
