// A lock that concurrent commands of one user hold one after the other: flock(2).
#pragma once

#include <functional>
#include <string>

#include "schemas/core/fd.h"
#include "schemas/core/result.h"

namespace band::client {

// Returns when this process holds the exclusive lock of the file `path`. If another process holds the lock, calls
// `waits` once (if it is not empty), then waits without a timeout. Creates the file with mode 0600 if it does not
// exist; its directory must exist. Error: Code::Usage.
// The kernel releases the lock when the returned descriptor is closed. The file is never removed: if one command
// removed it and another command created it again, two commands could hold the lock at the same time.
Result<Fd> lock_file(const std::string& path, const std::function<void()>& waits = {});

}  // namespace band::client
