// The executable of this process, and the access of other processes to its memory.
#pragma once

#include <string>

namespace band::client {

// Returns a path of this process's executable, which may be a symbolic link; "" when unknown.
std::string executable_path();

// Denies other processes of the same user access to this process's memory from now on. Returns 0, or -1 with errno.
// Does nothing on macOS, where only root can read the memory of a process that has changed its user id.
int close_memory_to_user();

}  // namespace band::client
