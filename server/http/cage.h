// What band-http takes from itself before it answers anybody. Each step is fatal when it fails, and is read back.
//
// Afterwards it can: talk on the descriptors that it has, accept, make memfds and Unix socket pairs, start threads.
// It cannot: open or make a file, make any other socket, connect, run a program, trace, signal others, map code.
// Not covered: what can be done with the control channel; the engine checks every message.
#pragma once

#include <string>

#include "schemas/core/result.h"

namespace band::http {

// Becomes `user` and nothing else, bounding set included.
Status leave_root(const std::string& user);
// After the last file was opened and the listening socket is bound; before the first thread.
Status close_cage();

}  // namespace band::http
