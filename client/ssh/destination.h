// The address of another machine, ssh://[USER@]HOST[:PORT]. Runs commands on the other machine with ssh(1).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "schemas/core/result.h"

namespace band::client {

struct Destination {
  std::string host;        // with USER@, as an argument of ssh(1); may be an alias of ssh's configuration
  std::uint16_t port = 0;  // 0: ssh's default or configuration
};

// Accepts `ssh://ann@build.example.com:2222`, also without ssh://. Errors (Code::Usage): no host, a text that ssh would
// parse as a flag, characters that are not allowed in a host or user name.
Result<Destination> parse_destination(const std::string& text);
std::string text_of(const Destination& destination);  // without ssh://

// Returns the arguments with which each call of ssh begins. The last one is the destination, and a remote command
// follows it. The arguments disable every forwarding that the user's configuration may request: agent, X11, Kerberos
// tickets and ports. Variables that the configuration names in SendEnv are still sent. `questions`: ssh may prompt on
// the terminal. `more`: further options, put before the destination.
std::vector<std::string> ssh_arguments(const Destination& destination, bool questions,
                                       const std::vector<std::string>& more);

// Returns the path of ssh. Error (Code::Usage): it is not in $PATH.
Result<std::string> ssh_program();

// Returns `ssh -p 2222 ann@host`, for messages.
std::string login_command(const Destination& destination);

// Runs `command` on the destination. The words of `command` are quoted for the remote shell. The command's stdin is
// empty. `say` is called with each line of the command's stderr; RanThere::out is the command's stdout, at most 1 MiB.
// Stdout and stderr are untrusted. If `questions` is false, the timeout is one minute; if it is true, there is no
// timeout. Errors: Code::Usage when there is no ssh in $PATH, Code::ServerUnreachable when ssh itself failed,
// Code::Timeout.
struct RanThere {
  int status = 0;  // exit status of the command; never 255, because ssh reports its own failure with 255
  std::string out;
};
Result<RanThere> run_there(const Destination& destination, bool questions, const std::vector<std::string>& command,
                           const std::function<void(const std::string& line)>& say);

}  // namespace band::client
