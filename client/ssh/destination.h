// Another machine, and what runs there: ssh://[USER@]HOST[:PORT].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schemas/core/result.h"

namespace band::client {

struct Destination {
  std::string host;        // with USER@, as ssh(1) takes it; its own configuration may say what it stands for
  std::uint16_t port = 0;  // 0: ssh's own choice
};

// `ssh://ann@build.example.com:2222`, or the same without ssh://. Errors (Code::Usage): no host, a word that ssh would
// take for a flag, characters that no host or user has.
Result<Destination> parse_destination(const std::string& text);
std::string text_of(const Destination& destination);  // without ssh://

// ssh's flags for all of band's calls, the destination last: nothing of the user's configuration is forwarded there.
// `questions`: whether ssh may ask on the terminal.
std::vector<std::string> ssh_arguments(const Destination& destination, bool questions,
                                       const std::vector<std::string>& more);

// Path of ssh. Error (Code::Usage): $PATH does not name one.
Result<std::string> ssh_program();

// Runs `command` there, for a shell: its words are quoted. Its stderr is this program's. Returns its stdout, at most
// 1 MiB: hostile text. Errors: Code::ServerUnreachable when ssh itself failed (status 255) or the command did.
Result<std::string> run_there(const Destination& destination, bool questions, const std::vector<std::string>& command);

}  // namespace band::client
