// The warden of one command: a process between the holder and the command. It is the subreaper of all processes that
// the command starts (PR_SET_CHILD_SUBREAPER, prctl(2)): an orphan becomes a child of the warden. The warden can
// therefore kill the whole tree by killing its children repeatedly.
#pragma once

#include <vector>

#include "server/base/fd.h"
#include "server/init/setup.h"

namespace band::init {

// Runs in a process of its own. Waits for an order of the engine on the control socket, then writes one byte to `taken`
// so that the holder forks the next warden. Reports CommandEnded to the engine, then answers the shim.
[[noreturn]] void ward(const Setup& setup, const std::vector<base::Fd>& domains, int taken);

}  // namespace band::init
