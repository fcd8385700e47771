// The warden of one command: a process between the holder and the command, which is the reaper of everything that the
// command starts (PR_SET_CHILD_SUBREAPER, prctl(2)). So the tree can be killed without knowing it: what loses its
// parent becomes a child of the warden.
#pragma once

#include <vector>

#include "server/base/fd.h"
#include "server/init/setup.h"

namespace band::init {

// In a process of its own, which waits for an order of the engine on the control socket and says so on `taken`: a byte,
// so that the holder starts the next one. Reports CommandEnded to the engine, then answers the shim.
[[noreturn]] void ward(const Setup& setup, const std::vector<base::Fd>& domains, int taken);

}  // namespace band::init
