// What band-gateway takes from itself. Each step is fatal when it fails, and is read back or tried.
//
// Afterwards it can: make TCP and UDP sockets and connect them, pipes, timers; read the files by which names are
// resolved, and no other. It cannot: open anything else, start a process or a thread, run a program, trace or signal
// others, map code, make a socket of another family, listen.
// Not covered: what is said to whom on the sockets that it makes; the machine's own firewall is the operator's.
#pragma once

#include <string>

#include "schemas/core/result.h"
#include "server/cage/cage.h"

namespace band::gateway {

// As root, once: becomes `user` with no capability and few descriptors. Children inherit it.
Status leave_root(const std::string& user);
// The list of calls, made ahead: libseccomp takes its time.
cage::Calls calls();
// In the process that serves, before it reads anything that a request had a hand in.
Status close_cage(const cage::Calls& calls);

}  // namespace band::gateway
