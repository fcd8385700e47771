// Finds and runs other programs of the caller's machine. `program` is always a path; $PATH is not searched. If a
// program cannot be started, the error is Code::Internal; examine() has an exception.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "schemas/core/result.h"

namespace band::client {

// Returns the path of the program `name` in the directory of this executable. Error (Code::Usage): the program does not
// exist or is not executable.
Result<std::string> sibling_program(const std::string& name);

struct Finished {
  int exit_status = 0;  // 128+N for death by signal N
  std::string out;      // the program's stdout; "" if it was not captured
};
// Runs a program until it exits. The program inherits stdin, stdout and stderr of this process, with two exceptions.
// With `capture`, its stdout is returned in Finished::out (at most 1 MiB); the function then also waits until
// background processes of the program have closed this stdout. With `quiet`, its stderr is /dev/null.
Result<Finished> run_program(const std::string& program, const std::vector<std::string>& arguments, bool capture,
                             bool quiet = false);

// Runs a program until it exits, with an empty stdin. Its stdout and stderr are the file `log`, which is created with
// mode 0600 and replaces an older file. If the program inherited stdout and stderr of this process, its background
// processes could still have these open after the program exits. The program is killed after `ms` milliseconds (0:
// never). Returns its exit status, or 128+N when signal N killed it. Error (Code::Usage): `log` cannot be created.
Result<int> run_logged(const std::string& program, const std::vector<std::string>& arguments, const std::string& log,
                       int ms);

// Starts a program with an empty stdin, and with `out` and `err` as its stdout and stderr; the caller still owns these
// descriptors. The program inherits the environment of this process; `variables` are added to it, or replace variables
// in it. The caller must reap the process.
Result<pid_t> start_program(const std::string& program, const std::vector<std::string>& arguments,
                            const std::map<std::string, std::string>& variables, int out, int err);
int exit_status_of(int wait_status);  // `wait_status` from waitpid(2); returns 128+N for death by signal N

// Returns the path of a program in $PATH; "" when it is not found. Relative directories in $PATH are ignored, so that
// no program of the working directory is started.
std::string find_program(const std::string& name);

// Resource limits of a program. If the program exceeds `ms` or `output`, examine() kills it. `memory` and `cpu_seconds`
// are set with ulimit of /bin/sh and enforced by the kernel: allocations fail, or a signal ends the program.
struct Bounds {
  int ms = 10'000;                 // run time in milliseconds
  std::size_t output = 64u << 10;  // bytes of stdout and stderr together
  std::size_t memory = 0;          // bytes of address space; macOS ignores it; 0: no limit
  int cpu_seconds = 0;             // processor time of all threads of the program; 0: no limit
};
struct Examined {
  int exit_status = 0;  // 128+N for death by signal N
  std::string text;     // stdout and stderr, in the order of arrival
  bool over = false;    // the program exceeded Bounds::ms or Bounds::output and was killed
};
// Runs a program with `input` as its stdin. Its only environment variable is LC_ALL=C, so that its output does not
// depend on the caller's environment. With Bounds::memory or Bounds::cpu_seconds, /bin/sh starts the program: if the
// program cannot be started, there is no error, and the exit status is 126 or 127.
Result<Examined> examine(const std::string& program, const std::vector<std::string>& arguments,
                         const std::string& input, const Bounds& bounds);

}  // namespace band::client
