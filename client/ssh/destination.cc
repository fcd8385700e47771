#include "client/ssh/destination.h"

#include <limits>

#include "client/host/follow.h"
#include "client/host/spawn.h"
#include "schemas/pattern/shell_text.h"

namespace band::client {
namespace {

constexpr std::string_view kScheme = "ssh://";
constexpr int kSshFailed = 255;  // ssh(1), EXIT STATUS
constexpr std::size_t kMostOut = 1u << 20;
constexpr int kMostMs = 60'000;

bool is_plain(std::string_view text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  return !text.empty() && text.front() != '-' && text.find_first_not_of(kPlain) == std::string_view::npos;
}

// Returns whether `text` is an IPv6 address in brackets.
bool is_address(std::string_view text) {
  return text.size() > 2 && text.front() == '[' && text.back() == ']' &&
         text.find_first_not_of("0123456789abcdefABCDEF:.", 1) == text.size() - 1;
}

}  // namespace

Result<Destination> parse_destination(const std::string& text) {
  const auto wrong = [&](const std::string& what) {
    return Error{.code = Code::Usage,
                 .doing = "\"" + text + "\" " + what,
                 .hint = "write ssh://USER@HOST or ssh://USER@HOST:PORT; other settings belong in ~/.ssh/config"};
  };
  std::string rest = text.starts_with(kScheme) ? text.substr(kScheme.size()) : text;
  if (rest.find("://") != std::string::npos) return wrong("is not an ssh:// URL");
  while (rest.ends_with('/')) rest.pop_back();
  Destination destination;
  const std::size_t at = rest.rfind('@');
  const std::string user = at == std::string::npos ? "" : rest.substr(0, at);
  std::string host = at == std::string::npos ? rest : rest.substr(at + 1);
  if (const std::size_t colon = host.rfind(':'); colon != std::string::npos && !host.ends_with(']')) {
    const std::string digits = host.substr(colon + 1);
    host.erase(colon);
    if (digits.empty() || digits.size() > 5 || digits.find_first_not_of("0123456789") != std::string::npos ||
        std::stoi(digits) < 1 || std::stoi(digits) > std::numeric_limits<std::uint16_t>::max())
      return wrong("has a port that is not in 1 to 65535");
    destination.port = static_cast<std::uint16_t>(std::stoi(digits));
  }
  if (at != std::string::npos && !is_plain(user)) return wrong("has a user name that ssh does not accept");
  if (is_address(host))
    host = host.substr(1, host.size() - 2);
  else if (!is_plain(host))
    return wrong("does not name a host");
  destination.host = (user.empty() ? "" : user + "@") + host;
  return destination;
}

std::string text_of(const Destination& destination) {
  const std::size_t at = destination.host.rfind('@');
  const std::string user = at == std::string::npos ? "" : destination.host.substr(0, at + 1);
  const std::string host = destination.host.substr(user.size());
  const std::string port = destination.port == 0 ? "" : ":" + std::to_string(destination.port);
  return user + (host.find(':') == std::string::npos ? host : "[" + host + "]") + port;
}

std::vector<std::string> ssh_arguments(const Destination& destination, bool questions,
                                       const std::vector<std::string>& more) {
  std::vector<std::string> words = {"-a", "-x", "-k", "-T"};  // no agent, no X11, no ticket, no terminal
  for (const char* option :
       {"ConnectTimeout=20", "PermitLocalCommand=no", "Tunnel=no", "ClearAllForwardings=yes", "RemoteCommand=none"})
    words.insert(words.end(), {"-o", option});
  if (!questions) words.insert(words.end(), {"-o", "BatchMode=yes"});
  if (destination.port != 0) words.insert(words.end(), {"-p", std::to_string(destination.port)});
  words.insert(words.end(), more.begin(), more.end());
  words.insert(words.end(), {"--", destination.host});
  return words;
}

Result<std::string> ssh_program() {
  const std::string program = find_program("ssh");
  if (!program.empty()) return program;
  return Error{.code = Code::Usage,
               .doing = "there is no ssh in $PATH, and the target is on another machine",
               .hint = "install it: `apt-get install openssh-client`"};
}

std::string login_command(const Destination& destination) {
  return "ssh " + (destination.port == 0 ? "" : "-p " + std::to_string(destination.port) + " ") + destination.host;
}

Result<RanThere> run_there(const Destination& destination, bool questions, const std::vector<std::string>& command,
                           const std::function<void(const std::string& line)>& say) {
  BAND_TRY(const std::string program, ssh_program());
  RanThere ran;
  Following following;
  following.arguments = ssh_arguments(destination, questions, {"-o", "ControlPath=none"});
  following.arguments.push_back(shell_text(command, std::numeric_limits<std::size_t>::max()));
  following.out = [&](const std::string& line) {
    if (ran.out.size() + line.size() < kMostOut) ran.out += line + "\n";
  };
  following.err = say;
  following.ms = questions ? 0 : kMostMs;
  BAND_TRY(ran.status, follow_program(program, following));
  if (ran.status != kSshFailed) return ran;
  return Error{.code = Code::ServerUnreachable,
               .doing = "ssh cannot log in at " + text_of(destination),
               .hint = "the messages of ssh are above; `" + login_command(destination) + "` must work first"};
}

}  // namespace band::client
