// A lock between commands of one user: flock(2).
#pragma once

#include <functional>
#include <string>

#include "schemas/core/fd.h"
#include "schemas/core/result.h"

namespace band::client {

// Waits for the lock of the file `path`; before it waits, it calls `waits`. The file is made (mode 0600) when it is not
// there, in a directory that is. The kernel gives it back with the descriptor. The file stays: without it two commands
// could hold locks of two files. Error: Code::Usage.
Result<Fd> lock_file(const std::string& path, const std::function<void()>& waits = {});

}  // namespace band::client
