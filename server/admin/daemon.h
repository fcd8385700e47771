// A process that outlives its starter: own session, no terminal, nothing inherited but what is named here.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"

namespace band::admin {

// Starts argv (argv[0] a path) with the working directory /, stdin /dev/null, stdout and stderr `log`, umask 022,
// clean_environment(), and all signals at their defaults. Returns its pidfd. A failed exec is an error here.
// For single-threaded programs: it forks.
Result<base::Fd> start_daemon(const std::vector<std::string>& argv, int log);

}  // namespace band::admin
