// A lock between the commands that one user runs: flock(2).
#pragma once

#include <functional>
#include <string>

#include "schemas/core/fd.h"
#include "schemas/core/result.h"

namespace band::client {

// Waits for the exclusive lock of the file `path`; calls `waits` once before it waits. Creates a missing file (mode
// 0600); its directory must exist. The kernel releases the lock when the descriptor is closed. The file is not removed:
// otherwise two commands could hold locks of two files of this name. Error: Code::Usage.
Result<Fd> lock_file(const std::string& path, const std::function<void()>& waits = {});

}  // namespace band::client
