// Another machine, and what runs there: ssh://[USER@]HOST[:PORT].
#pragma once

#include <cstdint>
#include <functional>
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

// ssh's flags for all of band's calls, the destination last: no agent, no X11, no Kerberos ticket and no port that the
// user's configuration forwards. Variables that it sends (SendEnv) are sent. `questions`: whether ssh may ask on the
// terminal.
std::vector<std::string> ssh_arguments(const Destination& destination, bool questions,
                                       const std::vector<std::string>& more);

// Path of ssh. Error (Code::Usage): $PATH does not name one.
Result<std::string> ssh_program();

// `ssh -p 2222 ann@host`, for messages.
std::string login_command(const Destination& destination);

// Runs `command` there, for a shell: its words are quoted. Nothing is on its stdin. `say` gets each line of its stderr,
// and `out` has its stdout, at most 1 MiB: hostile text. Without questions it may take a minute. Errors:
// Code::ServerUnreachable when ssh itself failed, Code::Timeout.
struct RanThere {
  int status = 0;  // of the command: not 255, which is ssh's own
  std::string out;
};
Result<RanThere> run_there(const Destination& destination, bool questions, const std::vector<std::string>& command,
                           const std::function<void(const std::string& line)>& say);

}  // namespace band::client
