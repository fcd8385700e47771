// Finds the executable of this process, and protects the memory of this process.
#pragma once

#include <string>

namespace band::client {

// Returns a path of the executable of this process; "" when unknown. The path may be a symbolic link.
std::string executable_path();

// From now on, other processes of the same user cannot read or write the memory of this process. Call it after the
// process has changed its user id. Returns 0, or -1 with errno. Does nothing on macOS: there, only root can read the
// memory of a process that has changed its user id.
int close_memory_to_user();

}  // namespace band::client
