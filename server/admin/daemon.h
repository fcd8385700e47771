// Starts a process that outlives the calling process: in a session of its own, without a terminal, and with no other
// descriptors than stdin, stdout and stderr.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"

namespace band::admin {

// Starts the program argv[0] (a path) with the arguments `argv`. Its stdin is /dev/null; its stdout and stderr are the
// descriptor `log`, which stays open in the calling process. The working directory is /, the umask is 022, all signals
// have their default actions, and the environment is clean_environment() (program.h). Returns a pidfd of the new
// process. Returns an error also when exec failed. Call this function in a single-threaded program, because it forks
// and the child process allocates memory.
Result<base::Fd> start_daemon(const std::vector<std::string>& argv, int log);

}  // namespace band::admin
