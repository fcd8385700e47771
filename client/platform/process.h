// This process: its program, and who may look into it.
#pragma once

#include <string>

namespace band::client {

// A path that opens this process's program, which may be a link; "" when unknown.
std::string executable_path();

// Other processes of the same user cannot read this one's memory from here on. 0, or -1 with errno. On macOS nothing
// has to be done: a process that has changed its user id is closed to all but root.
int close_memory_to_user();

}  // namespace band::client
