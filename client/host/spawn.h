// Finds and runs other programs of the caller's machine.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "schemas/core/result.h"

namespace band::client {

// Returns the path of the program `name` in the directory of this executable. Error (Code::Usage): it does not exist.
Result<std::string> sibling_program(const std::string& name);

struct Finished {
  int exit_status = 0;  // 128+N for death by signal N
  std::string out;      // the program's stdout; "" if it was not captured
};
// Runs a program until it exits. The program inherits stdin, stdout and stderr of this process, with two exceptions:
// with `capture`, its stdout is returned in Finished::out (at most 1 MiB); with `quiet`, its stderr is /dev/null.
Result<Finished> run_program(const std::string& program, const std::vector<std::string>& arguments, bool capture,
                             bool quiet = false);

// Runs a program until it exits, with an empty stdin. The program's stdout and stderr are `log`, a new file of mode
// 0600, and not those of this process: otherwise, background processes of the program could hold the stdout and stderr
// of this process open. The program is killed after `ms` milliseconds (0: never). Returns its exit status, or 128+N
// when signal N killed it.
Result<int> run_logged(const std::string& program, const std::vector<std::string>& arguments, const std::string& log,
                       int ms);

// Starts a program with an empty stdin, and with `out` and `err` as its stdout and stderr; the caller still owns these
// descriptors. The program inherits the environment of this process; `variables` are added to it, or replace variables
// in it. The caller must reap the process.
Result<pid_t> start_program(const std::string& program, const std::vector<std::string>& arguments,
                            const std::map<std::string, std::string>& variables, int out, int err);
int exit_status_of(int wait_status);  // 128+N for death by signal N

// Returns the path of a program in $PATH; "" when it is not found. Relative directories in $PATH are ignored, so that
// no program of the working directory is started.
std::string find_program(const std::string& name);

// Resource limits of a program. A program that exceeds a limit is killed.
struct Bounds {
  int ms = 10'000;                 // run time
  std::size_t output = 64u << 10;  // bytes of stdout and stderr together
  std::size_t memory = 0;  // bytes of address space, set with ulimit(1) of /bin/sh; macOS ignores it; 0: no limit
  int cpu_seconds = 0;     // processor time of all its threads, set with ulimit(1); 0: no limit
};
struct Examined {
  int exit_status = 0;  // 128+N for death by signal N
  std::string text;     // stdout and stderr, in the order of arrival
  bool over = false;    // the program exceeded a limit and was killed
};
// Runs a program with `input` as its stdin. Its only environment variable is LC_ALL=C, so that its output does not
// depend on the caller's environment.
Result<Examined> examine(const std::string& program, const std::vector<std::string>& arguments,
                         const std::string& input, const Bounds& bounds);

}  // namespace band::client
