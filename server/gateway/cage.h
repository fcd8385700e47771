// The privileges that band-gateway drops. Each step is fatal when it fails, and is read back or tested.
//
// Afterwards the process can: make TCP and UDP sockets and connect them, pipes, timers; read the files that configure
// name resolution, and no other file. It cannot: open anything else, start a process or a thread, run a program, trace
// or signal other processes, map code, make a socket of another family, listen.
//
// Not covered: the peers and the content of the sockets that it makes. Restricting them is up to the operator's
// firewall on the machine.
#pragma once

#include <string>

#include "schemas/core/result.h"
#include "server/cage/cage.h"

namespace band::gateway {

// Called once, as root: changes to `user`, without capabilities and with a limit on descriptors. Children inherit both.
Status leave_root(const std::string& user);
// The list of allowed system calls. Made before forking, because libseccomp is slow.
cage::Calls calls();
// Called in the serving process, before it reads any data that a request can influence.
Status close_cage(const cage::Calls& calls);

}  // namespace band::gateway
