// Programs that stand beside this one.
#pragma once

#include <sys/types.h>

#include <map>
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

// Runs a program to its end with nothing on its stdin, and stdout and stderr in `log`, a new file of mode 0600. What
// the program leaves in the background holds no stream of ours. After `ms` milliseconds it is killed (0: never).
// Returns its exit status, 128+N for death by signal N.
Result<int> run_logged(const std::string& program, const std::vector<std::string>& arguments, const std::string& log,
                       int ms);

// Starts a program with nothing on its stdin, and stdout and stderr as given (descriptors of the caller's). `variables`
// beside, and in place of, this process's own. The caller reaps it.
Result<pid_t> start_program(const std::string& program, const std::vector<std::string>& arguments,
                            const std::map<std::string, std::string>& variables, int out, int err);
int exit_status_of(int wait_status);  // 128+N for death by signal N

// Path of a program that $PATH names. Only absolute directories count: the current one must not be able to name a
// program. "" when there is none.
std::string find_program(const std::string& name);

// What a program may take of this machine: it is killed when it takes more.
struct Bounds {
  int ms = 10'000;
  std::size_t output = 64u << 10;
  std::size_t memory = 0;  // bytes of address space, by ulimit(1) of /bin/sh, which macOS ignores; 0: no bound
  int cpu_seconds = 0;     // likewise, of all its threads; 0: no bound
};
struct Examined {
  int exit_status = 0;  // 128+N for death by signal N
  std::string text;     // stdout and stderr, as they came
  bool over = false;    // it took more than its bounds, and was killed
};
// Runs a program with `input` as its stdin, in an environment of LC_ALL=C alone: no variable of the caller's changes
// what it does or says.
Result<Examined> examine(const std::string& program, const std::vector<std::string>& arguments,
                         const std::string& input, const Bounds& bounds);

}  // namespace band::client
