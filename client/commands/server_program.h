// Runs the band-server that is installed next to this program, and parses what a band-server prints.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"

namespace band::client {

// Members of the JSON object that `band-server setup`, `start` and `token add` print; "" for a missing member.
struct Announced {
  std::string url, token;
};
// Runs the band-server that is installed next to this program, and parses the object in the last line of its output.
// `arguments`: at least the command, such as "setup". Errors: Code::Usage when there is no band-server next to this
// program, Code::SandboxUnavailable when band-server failed, Code::Internal when its last line is not a JSON object.
Result<Announced> ask_server_program(const std::vector<std::string>& arguments);
// Revokes a token that this program does not need any more; ignores errors. `token`: the name of the token.
void revoke_quietly(const std::string& token);
const char* said_above();  // the hint of an error when band-server has failed and printed its own error

// The output of band-server may begin with notes for the user; its last line is a JSON object. last_line() returns the
// last line of an output; announced() parses the last line. Error of announced(): Code::Internal; its message contains
// `what`, the name of the program.
std::string last_line(std::string text);
Result<Announced> announced(const std::string& text, const std::string& what);

}  // namespace band::client
