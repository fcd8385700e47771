// band-server as a program: the one beside this one, and what any of them prints.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/json_fwd.h"
#include "schemas/core/result.h"

namespace band::client {

// Runs the band-server beside this program and takes the object that it printed last. Errors: Code::Usage when there is
// none, Code::SandboxUnavailable when it failed.
Result<Json> ask_server_program(const std::vector<std::string>& arguments);
void revoke_quietly(const std::string& token);  // best effort: a token that nobody has is of no use to anybody
const char* said_above();                       // the hint for a band-server that failed

// What a band-server printed: its last line, since notes for people may stand before it; that line as an object; and a
// member of it. `what` is named in the error (Code::Internal).
std::string last_line(std::string text);
Result<Json> last_json(const std::string& text, const std::string& what);
Result<std::string> string_member(const Json& object, const char* name);

}  // namespace band::client
