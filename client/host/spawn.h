// Programs that stand beside this one.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"

namespace band::client {

// Path of `name` in the directory of this executable. Error (Code::Usage): there is none.
Result<std::string> sibling_program(const std::string& name);

struct Finished {
  int exit_status = 0;  // 128+N for death by signal N
  std::string out;      // stdout, when captured
};
// Runs a program to its end, with this process's stdin and stderr. `capture`: stdout into Finished (at most 1 MiB).
// `quiet`: its stderr goes nowhere.
Result<Finished> run_program(const std::string& program, const std::vector<std::string>& arguments, bool capture,
                             bool quiet = false);

}  // namespace band::client
