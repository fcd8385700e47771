// Finds and runs other programs of the caller's machine.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "schemas/core/result.h"

namespace band::client {

// Returns the path of `name` in the directory of this executable. Error (Code::Usage): it does not exist there.
Result<std::string> sibling_program(const std::string& name);

struct Finished {
  int exit_status = 0;  // 128+N for death by signal N
  std::string out;      // stdout, when captured
};
// Runs a program until it exits, with this process's stdin and stderr. `capture`: its stdout is returned in Finished
// (at most 1 MiB). `quiet`: its stderr is /dev/null.
Result<Finished> run_program(const std::string& program, const std::vector<std::string>& arguments, bool capture,
                             bool quiet = false);

// Runs a program until it exits, with an empty stdin; stdout and stderr go to `log`, a new file of mode 0600. The
// program's background processes inherit no stream of this process. It is killed after `ms` milliseconds (0: never).
// Returns its exit status, or 128+N when signal N killed it.
Result<int> run_logged(const std::string& program, const std::vector<std::string>& arguments, const std::string& log,
                       int ms);

// Starts a program with an empty stdin; `out` and `err` become its stdout and stderr and stay owned by the caller.
// `variables` are added to this process's environment, or replace values of it. The caller reaps the process.
Result<pid_t> start_program(const std::string& program, const std::vector<std::string>& arguments,
                            const std::map<std::string, std::string>& variables, int out, int err);
int exit_status_of(int wait_status);  // 128+N for death by signal N

// Returns the path of a program in $PATH; "" when it is not found. Relative directories of $PATH are ignored, so that
// the working directory cannot supply a program.
std::string find_program(const std::string& name);

// Resource limits of a program: it is killed when it exceeds one.
struct Bounds {
  int ms = 10'000;
  std::size_t output = 64u << 10;
  std::size_t memory = 0;  // bytes of address space, set with ulimit(1) of /bin/sh; macOS ignores it; 0: no limit
  int cpu_seconds = 0;     // set likewise, sum of all its threads; 0: no limit
};
struct Examined {
  int exit_status = 0;  // 128+N for death by signal N
  std::string text;     // stdout and stderr, in the order of arrival
  bool over = false;    // it exceeded a limit and was killed
};
// Runs a program with `input` as its stdin. Its only environment variable is LC_ALL=C, so the caller's environment does
// not influence its output.
Result<Examined> examine(const std::string& program, const std::vector<std::string>& arguments,
                         const std::string& input, const Bounds& bounds);

}  // namespace band::client
