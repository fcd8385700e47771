// Runs a program and passes its output to callbacks line by line while it runs.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "schemas/core/result.h"

namespace band::client {

struct Following {
  std::vector<std::string> arguments;
  // The program inherits the environment of this process; these variables are added to it, or replace variables in it.
  std::map<std::string, std::string> variables;
  // Called by follow_program() for each line of stdout (`out`) or stderr (`err`), without the line feed. A line of more
  // than 64 KiB is passed in several calls. An empty function discards the lines.
  std::function<void(const std::string&line)> out, err;
  int ms = 0;  // after this many milliseconds the program is killed; 0: no timeout
};

// Runs `program` (a path; $PATH is not searched) with an empty stdin until it exits. Returns its exit status, or 128+N
// when signal N killed it. Output that background processes of the program write after the program has exited is not
// read. Errors: Code::Timeout when the program was killed after `ms`; Code::Internal when it cannot be started.
Result<int> follow_program(const std::string& program, const Following& what);

}  // namespace band::client
