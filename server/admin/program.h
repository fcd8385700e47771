// Runs a program of the system (useradd, systemctl) and waits for its exit.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"

namespace band::admin {

// argv[0] is a name without a directory. Searches for the program only in /usr/sbin, /usr/bin, /sbin and /bin. The
// program gets clean_environment() and stdin /dev/null. Its stdout and stderr are the stderr of this process, because
// the stdout of this process is for results. Returns an error when the program is missing or was killed by a signal, or
// when its exit status is not one of `fine`.
Status run_program(const std::vector<std::string>& argv, const std::vector<int>& fine = {0});

// Returns an environment with only PATH and LANG. The environment of this process is not used, because after sudo it
// may contain variables of another user.
std::vector<std::string> clean_environment();

}  // namespace band::admin
