// Drops the privileges of band-gateway. The result of each step is read back or tested; the process exits when a step
// fails.
//
// After close_cage() the process can make pipes and timers. It can make TCP and UDP sockets and connect them. It can
// read /dev/urandom and the files that configure name resolution. It cannot open any other file, start a process or a
// thread, run a program, trace or signal another process, map executable memory, make a socket of a family other than
// IPv4 and IPv6, or listen.
//
// Not covered: to which peers the process connects, and what data it sends. If an attacker controls the process, only
// the operator's firewall on the machine can restrict the peers.
#pragma once

#include <string>

#include "schemas/core/result.h"
#include "server/cage/cage.h"

namespace band::gateway {

// Compiles the filter of system calls. Call it before leave_root(): libseccomp compiles into a memory file, and
// leave_root() limits the size of files to 0.
Result<cage::Cage> make_cage();
// Called once, as root: changes to `user`, drops all capabilities, and sets limits on descriptors, file size and
// memory. Child processes inherit the user, the capabilities and the limits.
Status leave_root(const std::string& user);
// Restricts the process to the system calls of `cage` (seccomp) and to the files named above (Landlock). Called in the
// process that serves an execution, before this process reads any data that a request can influence.
Status close_cage(const cage::Cage& cage);

}  // namespace band::gateway
