// Runs a program of the system (useradd, systemctl) and waits for its exit.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"

namespace band::admin {

// Searches the program in /usr/sbin, /usr/bin, /sbin, /bin only. It gets clean_environment(), stdin /dev/null, and as
// stdout and stderr the stderr of this process (stdout is for results). Error: the program is missing, or its exit
// status is not in `fine`.
Status run_program(const std::vector<std::string>& argv, const std::vector<int>& fine = {0});

// Returns PATH and LANG only: after sudo, root's environment may belong to another user.
std::vector<std::string> clean_environment();

}  // namespace band::admin
