// `band target`: servers on other machines, and the default target.
#include <pwd.h>
#include <unistd.h>

#include "client/commands/commands.h"
#include "client/commands/connect.h"
#include "client/commands/server_program.h"
#include "client/ssh/destination.h"
#include "client/ssh/tunnel.h"
#include "client/targets/targets.h"
#include "schemas/core/json_text.h"
#include "schemas/wire/wire.h"

namespace band::client {
namespace {

constexpr std::size_t kMaxHostName = 64;

// A token's name has user, machine and target: `ann.laptop.build.3f9c12ab`. `band token list` on the target shows it.
// The random end distinguishes two machines of the same name.
Result<std::string> new_token_name(const std::string& target) {
  BAND_TRY(const std::string random, random_hex(4));
  char host[kMaxHostName + 1] = {};
  (void)::gethostname(host, kMaxHostName);
  const passwd* user = ::getpwuid(::getuid());
  const std::string who = user != nullptr ? std::string(user->pw_name) : std::to_string(::getuid());
  std::string name = who.substr(0, 16) + "." + std::string(host).substr(0, 16) + "." + target.substr(0, 20);
  for (char& c : name)
    if (!is_script_name("x/a" + std::string(1, c))) c = '-';
  name += "." + random;
  return is_script_name("x/" + name) ? name : "band." + random;
}

// Returns a command that runs band-server as root on the target, with sudo -n if needed, and finds it in root's PATH.
std::vector<std::string> as_root_there(const std::vector<std::string>& words) {
  constexpr const char* kAsRoot =
      "PATH=\"$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin\"; "
      "if [ \"$(id -u)\" = 0 ]; then exec \"$@\"; fi; exec sudo -n \"$@\"";
  std::vector<std::string> command = {"sh", "-c", kAsRoot, "sh", "band-server"};
  command.insert(command.end(), words.begin(), words.end());
  return command;
}

// The remote machine.
struct There {
  Destination destination;
  Terminal& terminal;
  bool questions = ::isatty(STDIN_FILENO) == 1;

  Result<RanThere> band_server(const std::vector<std::string>& words) const {
    return run_there(destination, questions, as_root_there(words),
                     [this](const std::string& line) { terminal.note(line); });
  }
};

Result<Target> make_token(const There& there, const std::string& name) {
  BAND_TRY(const std::string token, new_token_name(name));
  BAND_TRY(const RanThere ran, there.band_server({"token", "add", token}));
  if (ran.status == 0) {
    BAND_TRY(Target target, handed_over(name, last_line(ran.out)));
    target.token_name = token;
    return target;
  }
  return Error{.code = Code::ServerUnreachable,
               .doing = "`band-server token add` at " + text_of(there.destination) + " failed with status " +
                        std::to_string(ran.status),
               .hint =
                   "the messages of band-server are above. Only root can create a token on the target, so install band "
                   "there, and allow sudo without a password. Or let the operator of the target run `band token add " +
                   token + "`, and pass the output to: band target add " + name + " ssh://... --token-stdin"};
}

// Revokes a token that this client no longer uses. When that fails, a note has the command for the operator.
void revoke_token(const There& there, const std::string& token) {
  if (token.empty()) return;
  const auto revoked = there.band_server({"token", "revoke", token});
  if (revoked.ok() && revoked->status == 0) return;
  there.terminal.note("note: the token " + token + " was not revoked on the target" +
                      (revoked.ok() ? "" : " (" + revoked.error().message() + ")") +
                      "; its operator can do it: `band token revoke " + token + "`");
}

Status open_and_save(const Target& target, Terminal& terminal) {
  Connection connection;
  BAND_CHECK(connection.open(target, terminal));
  return save_target(target);
}

Result<Target> add(const CommandLine& line, Terminal& terminal) {
  const std::string& name = line.arguments[1];
  BAND_CHECK(check_target_name(name));
  if (kind_of(name) != kRemote)
    return Error{.code = Code::Usage,
                 .doing = name + " is reserved for a target on this machine",
                 .hint = "give it another name, for example the machine's"};
  BAND_TRY(const Destination destination, parse_destination(line.arguments[2]));
  BAND_TRY(const std::string socket, tunnel_socket(name));
  const There there{destination, terminal};
  const auto before = load_target(name);
  if (before.ok() && before->ssh != text_of(destination))
    return Error{.code = Code::Usage,
                 .doing = "target " + name +
                          " exists and is another machine: " + (before->ssh.empty() ? before->url : before->ssh),
                 .hint = "choose another name, or remove it first: band target remove " + name};
  BAND_TRY(Target target, line.token_stdin ? target_from_input(name, terminal) : make_token(there, name));
  target.server_port = target.port;  // the line from `band token add` has the URL on the target
  target.port = 0;
  target.url = "unix:" + socket;
  target.host = socket;
  target.ssh = text_of(destination);
  if (const Status saved = open_and_save(target, terminal); !saved.ok()) {
    revoke_token(there, target.token_name);
    if (!before.ok()) close_tunnel(name);
    return saved.error();
  }
  if (before.ok()) revoke_token(there, before->token_name);
  return target;
}

int list(const CommandLine& line, Terminal& terminal) {
  const auto choice = choose_target(std::nullopt);
  std::vector<std::string> all;
  std::string text;
  for (const std::string& name : targets_set_up()) {
    const auto target = load_target(name);
    const bool chosen = choice.ok() && choice->name == name;
    const std::string where = !target.ok()          ? "cannot be used: " + target.error().message()
                              : target->ssh.empty() ? target->url
                                                    : "ssh://" + target->ssh;
    all.push_back(json_object({{"name", json_string(name)},
                               {"kind", json_string(kind_of(name))},
                               {"where", json_string(where)},
                               {"chosen", chosen ? "true" : "false"},
                               {"usable", target.ok() ? "true" : "false"}}));
    text += (chosen ? "* " : "  ") + name + std::string(name.size() < 16 ? 16 - name.size() : 1, ' ') +
            printable_line(where) + "\n";
  }
  if (line.json) return print_json_text(terminal, json_array(all));
  if (text.empty()) {
    terminal.note("no target is set up");
    return 0;
  }
  if (!choice.ok()) terminal.note("note: " + choice.error().message() + "; " + choice.error().hint);
  return print(terminal, text);
}

Status use(const std::string& name) {
  BAND_TRY(const Target target, load_target(name));  // its error suggests similar names
  return use_target(target.name);
}

Status remove(const std::string& name, Terminal& terminal) {
  BAND_TRY(const Target target, load_target(name));
  if (target.ssh.empty())
    return Error{.code = Code::Usage,
                 .doing = "target " + name + " is not reached by ssh",
                 .hint = kind_of(name) == kRemote
                             ? "let its operator revoke the token, then remove " + target_file(name)
                             : "band teardown --target " + name};
  BAND_TRY(const Destination destination, parse_destination(target.ssh));
  revoke_token({destination, terminal}, target.token_name);
  close_tunnel(name);
  return remove_target(name);
}

}  // namespace

int target_command(const CommandLine& line, Terminal& terminal) {
  const std::vector<std::string>& words = line.arguments;
  const std::string act = words.empty() ? "" : words[0];
  const std::size_t wanted = act == "add" ? 3 : act == "list" ? 1 : 2;
  if ((act != "add" && act != "list" && act != "use" && act != "remove") || words.size() != wanted)
    return fail(line, terminal,
                {.code = Code::Usage,
                 .doing = "`band target` needs add NAME ssh://USER@HOST, list, use NAME, or remove NAME",
                 .hint = "see `band target --help`"});
  if (act == "list") return list(line, terminal);
  if (act == "add") {
    const auto added = add(line, terminal);
    if (!added.ok()) return fail(line, terminal, added.error());
    return print_target(line, terminal, {added->name, "ssh://" + added->ssh, " is ready", true});
  }
  const Status changed = act == "use" ? use(words[1]) : remove(words[1], terminal);
  if (!changed.ok()) return fail(line, terminal, changed.error());
  if (line.json)
    return print_json_text(terminal, json_object({{"target", json_string(words[1])}, {"changed", "true"}}));
  terminal.note("target " + words[1] + (act == "use" ? " is now the default" : " was removed"));
  return 0;
}

}  // namespace band::client
