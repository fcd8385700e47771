// The connection to a server on another machine: one background ssh(1) for each target. It forwards a Unix socket on
// this machine to the server's port. Only the user can enter the socket's directory. Therefore no other user of this
// machine can use the connection, or replace the socket while ssh is not running.
#pragma once

#include <string>

#include "client/ssh/destination.h"
#include "client/targets/targets.h"
#include "schemas/core/result.h"

namespace band::client {

// Returns the path of a target's socket: ~/.band/ssh/NAME.server. Error (Code::Usage): the path is longer than the path
// of a socket may be.
Result<std::string> tunnel_socket(const std::string& target);

// Whether ssh may prompt for a passphrase or password on the terminal.
enum class Questions { Allowed, None };

// Starts the ssh of `target`, unless it already runs and accepts connections. A running ssh is kept even if the server
// does not respond, because executions of other commands may use its connection. open_tunnel() returns when ssh has
// logged in and forwards the socket; ssh continues in the background. From then on ssh probes the peer every 15 s, and
// exits after 45 s without a response. Of several concurrent callers, one starts ssh and the others wait for it.
// Returns true when ssh was started during the call, also by another caller. Errors: Code::Usage when there is no ssh
// in $PATH, Code::ServerUnreachable with the last line that ssh printed.
Result<bool> open_tunnel(const Target& target, Questions questions);

// Ends the background ssh of `target`, if it runs, and removes its socket and its other files.
void close_tunnel(const std::string& target);

}  // namespace band::client
