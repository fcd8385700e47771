// Starts a process that outlives the calling process: in a session of its own, without a terminal, and with no other
// descriptors than stdin, stdout and stderr.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"

namespace band::admin {

// Starts argv (argv[0] is a path) with the working directory /, stdin /dev/null, stdout and stderr `log`, umask 022,
// clean_environment(), and default signal actions. Returns the pidfd of the process. Returns an error also when the
// exec failed. Call this function in a single-threaded program, because it forks.
Result<base::Fd> start_daemon(const std::vector<std::string>& argv, int log);

}  // namespace band::admin
