// The way to a server on another machine: one ssh(1) in the background for each target, with a socket of this machine
// that leads to the server's port there. The socket lies in a directory that the user alone can enter, so no other user
// of this machine can use the way, or take the socket's place while ssh is away.
#pragma once

#include <string>

#include "client/ssh/destination.h"
#include "client/targets/targets.h"
#include "schemas/core/result.h"

namespace band::client {

// Where the tunnel of a target begins: ~/.band/ssh/NAME.server. Errors (Code::Usage): longer than a socket's path may
// be.
Result<std::string> tunnel_socket(const std::string& target);

// May ssh ask for a passphrase or a password, on the terminal?
enum class Questions { Allowed, None };

// Opens the tunnel of `target`, unless its ssh is there and takes connections: other commands' executions go through
// it, and a server that does not answer is no reason to end them. Returns when ssh has logged in and the socket leads
// there; from then on ssh looks every 15 s whether the other side answers, and ends after 45 s without an answer.
// Several callers at once: one opens, the others wait for it. True: it was opened now, or by another caller meanwhile.
// Errors: Code::ServerUnreachable with what ssh printed.
Result<bool> open_tunnel(const Target& target, Questions questions);

// Ends the ssh in the background and removes what it leaves. Fine when there is none.
void close_tunnel(const std::string& target);

}  // namespace band::client
