// Running a program of the system (useradd, systemctl) to its end.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"

namespace band::admin {

// Searched in /usr/sbin, /usr/bin, /sbin, /bin only, with a fixed environment, stdin /dev/null, stdout and stderr to
// our stderr (stdout is for results). Error: not there, or its exit status was not among `fine`.
Status run_program(const std::vector<std::string>& argv, const std::vector<int>& fine = {0});

// PATH and LANG, and nothing of the caller's: root's environment after sudo may be somebody else's.
std::vector<std::string> clean_environment();

}  // namespace band::admin
