// The privileges that band-http drops before it answers requests, in two steps: leave_root() and close_cage(). Each
// step reads back or tests its result; band-http exits when a step fails.
//
// After both steps band-http can use its open descriptors, accept connections, make memfds and Unix socket pairs, and
// start threads. It cannot open or create a file, make any other socket, connect a socket, run a program, trace or
// signal another process, or map executable memory.
// Does not cover: the messages that a compromised band-http writes to the control channel, its socket to the engine
// (server/http_link/link.h). The engine checks each message.
#pragma once

#include <string>

#include "schemas/core/result.h"

namespace band::http {

// Switches to the ids of `user`, and drops all groups and capabilities, the bounding set included.
Status leave_root(const std::string& user);
// Installs the seccomp filter. Call it after the last file was opened and the listening socket is bound, but before the
// first thread.
Status close_cage();

}  // namespace band::http
