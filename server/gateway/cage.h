// The privileges that band-gateway drops. Each step is read back or tested; a failed step is fatal.
//
// Afterwards the process can make pipes, timers, and TCP and UDP sockets, and can connect the sockets. It can read the
// files that configure name resolution. It cannot open any other file, start a process or a thread, run a program,
// trace or signal another process, map executable memory, make a socket of another family, or listen.
//
// Not covered: the peers of the process's sockets, and the data on them. Only the operator's firewall on the machine
// can restrict these.
#pragma once

#include <string>

#include "schemas/core/result.h"
#include "server/cage/cage.h"

namespace band::gateway {

// Called once, as root: changes to `user`, drops all capabilities, and sets limits on descriptors, file size and
// memory. Child processes inherit all of this.
Status leave_root(const std::string& user);
// Returns the list of allowed system calls. Call it before forking, because libseccomp is slow.
cage::Calls calls();
// Called in the serving process, before it reads any data that a request can influence.
Status close_cage(const cage::Calls& calls);

}  // namespace band::gateway
