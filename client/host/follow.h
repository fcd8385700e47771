// Runs a program and passes on its output line by line while it runs.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "schemas/core/result.h"

namespace band::client {

struct Following {
  std::vector<std::string> arguments;
  std::map<std::string, std::string> variables;  // added to this process's environment, or replacing values of it
  std::function<void(const std::string&line)> out, err;  // without the line feed; lines over 64 KiB are cut into pieces
  int ms = 0;                                            // timeout in milliseconds, then SIGKILL; 0: none
};

// Runs `program` with an empty stdin until it exits. Returns its exit status, or 128+N when signal N killed it. Output
// that its background processes write after that is not read. Errors: Code::Internal when it cannot be started,
// Code::Timeout.
Result<int> follow_program(const std::string& program, const Following& what);

}  // namespace band::client
