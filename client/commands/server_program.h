// band-server as a program: the one beside this one, and what any of them prints.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"

namespace band::client {

// Members of the object that `setup`, `start` and `token add` print; "" for one that is not there.
struct Announced {
  std::string url, token;
};
// Runs the band-server beside this program and takes what it printed last. Errors: Code::Usage when there is none,
// Code::SandboxUnavailable when it failed.
Result<Announced> ask_server_program(const std::vector<std::string>& arguments);
void revoke_quietly(const std::string& token);  // best effort: a token that nobody has is of no use to anybody
const char* said_above();                       // the hint for a band-server that failed

// What a band-server printed: its last line, since notes for people may stand before it; and that line read. `what` is
// named in the error (Code::Internal).
std::string last_line(std::string text);
Result<Announced> announced(const std::string& text, const std::string& what);

}  // namespace band::client
