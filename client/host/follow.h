// A program whose output is read line by line while it runs.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "schemas/core/result.h"

namespace band::client {

struct Following {
  std::vector<std::string> arguments;
  std::map<std::string, std::string> variables;          // beside, and in place of, this process's own
  std::function<void(const std::string&line)> out, err;  // without the line feed; lines over 64 KiB are cut into pieces
  int ms = 0;                                            // it is killed after so many milliseconds; 0: never
};

// Runs `program` to its end with nothing on its stdin. Returns its exit status, 128+N for death by signal N. What it
// leaves in the background may go on writing: that is not read. Errors: Code::Internal when it cannot be started,
// Code::Timeout.
Result<int> follow_program(const std::string& program, const Following& what);

}  // namespace band::client
