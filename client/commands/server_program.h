// Runs the band-server that is installed next to this program, and reads what a band-server prints.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"

namespace band::client {

// Members of the object that `setup`, `start` and `token add` print; "" for a missing one.
struct Announced {
  std::string url, token;
};
// Runs the band-server next to this program and returns the object that it printed last. Errors: Code::Usage when the
// program is missing, Code::SandboxUnavailable when it failed.
Result<Announced> ask_server_program(const std::vector<std::string>& arguments);
void revoke_quietly(const std::string& token);  // ignores errors: this program has lost the token anyway
const char* said_above();                       // the hint for a band-server that failed

// last_line(): the last line of a band-server's output, which may have human-readable notes before it. announced():
// that line, parsed. `what` is named in the error (Code::Internal).
std::string last_line(std::string text);
Result<Announced> announced(const std::string& text, const std::string& what);

}  // namespace band::client
