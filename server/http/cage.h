// The privileges that band-http drops before it answers requests. Each step is verified afterwards; a failed step is
// fatal.
//
// Afterwards it can use the descriptors that it has, accept connections, make memfds and Unix socket pairs, and start
// threads. It cannot open or create a file, make any other socket, connect, run a program, trace, signal other
// processes, or map code.
// Does not cover: messages on the control channel; the engine checks each of them.
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
