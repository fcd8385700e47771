// Drops the privileges of band-gateway. The result of each step is read back or tested; the process exits when a step
// fails.
//
// After close_cage() the process can make pipes and timers. It can make TCP and UDP sockets and connect them. It can
// read the files that configure name resolution. It cannot open any other file, start a process or a thread, run a
// program, trace or signal another process, map executable memory, make a socket of a family other than IPv4 and IPv6,
// or listen.
//
// Not covered: to which peers the process connects, and what data it sends. Only the operator's firewall on the machine
// can restrict the peers.
#pragma once

#include <string>

#include "schemas/core/result.h"
#include "server/cage/cage.h"

namespace band::gateway {

// Call it before leave_root(), whose limit on file sizes also applies to the memory file in which libseccomp compiles.
Result<cage::Cage> make_cage();
// Called once, as root: changes to `user`, drops all capabilities, and sets limits on descriptors, file size and
// memory. Child processes inherit the user, the capabilities and the limits.
Status leave_root(const std::string& user);
// Restricts the process to the system calls of the cage, and to the files that configure name resolution. Called in the
// process that serves an execution, before this process reads any data that a request can influence.
Status close_cage(const cage::Cage& cage);

}  // namespace band::gateway
