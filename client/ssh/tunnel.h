// The way to a server on another machine: one ssh(1) in the background for each target, with a socket of this machine
// that leads to the server's port there. The socket lies in a directory that the user alone can enter, so no other user
// of this machine can use the way, or take the socket's place while ssh is away.
#pragma once

#include <functional>
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

// Opens the tunnel of `target` anew: one that is there is closed first. Returns when ssh has logged in and the socket
// leads there (ssh_config(5), ExitOnForwardFailure); from then on ssh looks every 15 s whether the other side answers,
// and ends after 45 s without an answer. Several callers at once: one opens, the others wait for it, and `works` tells
// them that nothing is left to do. Errors: Code::ServerUnreachable with what ssh printed.
Status open_tunnel(const Target& target, Questions questions, const std::function<bool()>& works);

// Ends the ssh in the background and removes what it leaves. Fine when there is none.
void close_tunnel(const std::string& target);

}  // namespace band::client
