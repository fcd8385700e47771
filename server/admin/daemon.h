// Starts a process that outlives its starter: own session, no terminal, only the descriptors that are listed here.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"

namespace band::admin {

// Starts argv (argv[0] is a path) with the working directory /, stdin /dev/null, stdout and stderr `log`, umask 022,
// clean_environment(), and default signal actions. Returns its pidfd. A failed exec is an error here. For
// single-threaded programs: it forks.
Result<base::Fd> start_daemon(const std::vector<std::string>& argv, int log);

}  // namespace band::admin
