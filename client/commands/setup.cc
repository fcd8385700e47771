// `band setup`, `band teardown` and `band token`. The band-server next to this program does the server's part; the
// client's part is the target's file.
#include <pwd.h>
#include <unistd.h>

#include "client/commands/commands.h"
#include "client/commands/machine.h"
#include "client/commands/server_program.h"
#include "client/host/invoker.h"
#include "client/host/spawn.h"
#include "client/platform/server.h"
#include "client/targets/targets.h"
#include "client/transport/daemon.h"
#include "schemas/core/json_text.h"
#include "schemas/wire/names.h"
#include "schemas/wire/wire.h"

namespace band::client {
namespace {

// Error: `name` is not a target that is set up on this machine itself.
Status check_target(const std::string& name, const char* verb) {
  if (name == "local" && kServerRunsHere) return done();
  if (name == "local")
    return Error{.code = Code::NoVmSoftware,
                 .doing = "the target `local` is this machine, and this machine does not run Linux",
                 .hint = "`band setup` creates a virtual machine"};
  return Error{.code = Code::Usage,
               .doing = std::string("`band ") + verb + "` does not support the target " + name,
               .hint = std::string("use local-lima or local; for another machine: `band target ") +
                       (verb == std::string_view("setup") ? "add`" : "remove`")};
}

// Returns success when the target's server proves that it has the token. `url`: the expected URL; "": any.
Status works(const std::string& name, const std::string& url) {
  BAND_TRY(const Target target, load_target(name));
  if (url.empty() || target.url == url) return Daemon(target).prove();
  return Error{.code = Code::ServerUnreachable, .doing = "target " + name + " has another URL than the new server"};
}

// A token is named after its user, so that `band token list` shows who uses it.
std::string token_name(const std::optional<Invoker>& invoker) {
  const passwd* user = ::getpwuid(invoker ? invoker->uid : ::getuid());
  const std::string number = std::to_string(invoker ? invoker->uid : ::getuid());
  const std::string name = "setup-" + (user != nullptr ? user->pw_name : number);
  return is_script_name("x/" + name) ? name : "setup-" + number;
}

// Error: band-server did not print this member.
Result<std::string> given(const std::string& member, const char* name) {
  if (!member.empty()) return member;
  return Error{.code = Code::Internal,
               .doing = std::string("band-server did not print its ") + name,
               .hint = "install band and band-server of the same version"};
}

struct SetUp {
  std::string url, user;  // user: the target's owner; "": the caller
  bool changed = false;   // a server or a token was made
};

// With sudo, the file of the target belongs to the user who called sudo, and a process with the id of this user reads
// and writes the file.
Result<SetUp> set_up(const std::string& name, bool quiet) {
  BAND_TRY(const auto invoker, sudo_invoker());
  const bool worked = as_invoker(invoker, [&] { return works(name, ""); }).ok();
  if (worked && ::geteuid() != 0) {  // it works, and only root could change it
    BAND_TRY(const Target target, load_target(name));
    return SetUp{target.url, "", false};
  }
  std::vector<std::string> arguments{"setup"};
  if (quiet) arguments.push_back("--quiet");
  BAND_TRY(const Announced said, ask_server_program(arguments));
  SetUp set{"", invoker ? invoker->name : "", !worked};
  BAND_TRY(set.url, given(said.url, "url"));
  const Status again = as_invoker(invoker, [&] { return works(name, set.url); });
  if (again.ok()) return set;
  // A busy server gives no evidence about the token. Replacing a valid token would end the executions that use it.
  if (again.error().code == Code::ServerBusy || again.error().code == Code::Internal) return again.error();
  Target target;
  target.name = name;
  BAND_CHECK(parse_url(set.url, target));
  const std::string token = token_name(invoker);
  revoke_quietly(token);  // a token of this name that this client has lost
  BAND_TRY(const Announced made, ask_server_program({"token", "add", token}));
  BAND_TRY(target.token, given(made.token, "token"));
  if (const Status saved = as_invoker(invoker, [&] { return save_target(target); }); !saved.ok()) {
    revoke_quietly(token);
    return saved.error();
  }
  BAND_CHECK(Daemon(target).prove());  // `token add` has returned, so the server accepts the token
  set.changed = true;
  return set;
}

// Prints the line with the token for `band login` on stdout. Revokes the token when the line could not be printed.
int hand_over(const Finished& finished, const std::string& name, const CommandLine& line, Terminal& terminal) {
  const auto said = announced(finished.out, "band-server token add");
  const auto token = said.ok() ? given(said->token, "token") : Result<std::string>(said.error());
  if (!token.ok()) return finished.exit_status != 0 ? finished.exit_status : fail(line, terminal, token.error());
  if (const int code = print(terminal, printable_line(last_line(finished.out)) + "\n"); code != 0) {
    revoke_quietly(name);
    return code;
  }
  terminal.note("give that line to " + name +
                " over a channel that no other user can read; it cannot be printed again; `band login` reads it from "
                "standard input");
  return finished.exit_status;
}

// Error: a flag for virtual machines was given for a target without one.
Status without_machine_flags(const CommandLine& line, const std::string& target) {
  const std::pair<const char*, bool> flags[] = {{"--name", line.name.has_value()},
                                                {"--cpus", line.cpus.has_value()},
                                                {"--memory", line.memory.has_value()},
                                                {"--disk", line.disk.has_value()},
                                                {"--drain", line.drain.has_value()},
                                                {"--with", !line.with.empty()},
                                                {"--force", line.force}};
  for (const auto& [flag, given] : flags)
    if (given)
      return Error{.code = Code::Usage,
                   .doing = std::string(flag) + " needs a virtual machine, and target " + target + " has none",
                   .hint = "leave it out, or set up the target local-lima"};
  return done();
}

}  // namespace

int print_target(const CommandLine& line, Terminal& terminal, const TargetNews& news) {
  if (line.json)
    return print_json_text(terminal, json_object({{"target", json_string(news.name)},
                                                  {"url", json_string(news.url)},
                                                  {"changed", news.changed ? "true" : "false"}}));
  terminal.note("target " + news.name + news.what + ": " + news.url);
  return 0;
}

int setup_command(const CommandLine& line, Terminal& terminal) {
  const auto name = target_to_set_up(line.target);
  if (!name.ok()) return fail(line, terminal, name.error());
  if (kind_of(*name) == kLima) return setup_machine(line, terminal);
  if (const Status known = check_target(*name, "setup"); !known.ok()) return fail(line, terminal, known.error());
  if (const Status fits = without_machine_flags(line, *name); !fits.ok()) return fail(line, terminal, fits.error());
  const auto set = set_up(*name, line.verbosity == Verbosity::Quiet);
  if (!set.ok()) return fail(line, terminal, set.error());
  return print_target(line, terminal,
                      {*name, set->url,
                       std::string(set->changed ? " is set up" : " was set up already") +
                           (set->user.empty() ? "" : " for " + set->user),
                       set->changed});
}

int teardown_command(const CommandLine& line, Terminal& terminal) {
  const auto name = target_to_tear_down(line.target);
  if (!name.ok()) return fail(line, terminal, name.error());
  if (kind_of(*name) == kLima) return teardown_machine(line, terminal);
  if (const Status known = check_target(*name, "teardown"); !known.ok()) return fail(line, terminal, known.error());
  if (const Status fits = without_machine_flags(line, *name); !fits.ok()) return fail(line, terminal, fits.error());
  const auto invoker = sudo_invoker();
  if (!invoker.ok()) return fail(line, terminal, invoker.error());
  const auto program = sibling_program("band-server");
  if (!program.ok()) return fail(line, terminal, program.error());
  std::vector<std::string> arguments{"teardown"};
  if (line.purge) arguments.push_back("--purge");
  if (line.verbosity == Verbosity::Quiet) arguments.push_back("--quiet");
  const auto finished = run_program(*program, arguments, false);
  if (!finished.ok()) return fail(line, terminal, finished.error());
  if (finished->exit_status != 0)
    return fail(
        line, terminal,
        {Code::SandboxUnavailable, "",
         "`band-server teardown` failed with status " + std::to_string(finished->exit_status), 0, said_above(), ""});
  const Status removed = as_invoker(*invoker, [&] { return remove_target(*name); });
  if (!removed.ok()) return fail(line, terminal, removed.error());
  terminal.note("target " + *name + " was removed");
  return 0;
}

int token_command(const CommandLine& line, Terminal& terminal) {
  const std::string act = line.arguments.empty() ? "" : line.arguments[0];
  const std::size_t names = line.arguments.empty() ? 0 : line.arguments.size() - 1;
  if ((act != "add" && act != "list" && act != "revoke") || names != (act == "list" ? 0u : 1u))
    return fail(
        line, terminal,
        {Code::Usage, "", "`band token` needs add NAME, list, or revoke NAME", 0, "see `band token --help`", ""});
  if (names == 1 && !is_script_name("x/" + line.arguments[1]))
    return fail(line, terminal,
                {Code::Usage, "", "\"" + line.arguments[1] + "\" cannot be a token's name", 0, kNameRule, ""});
  const auto program = sibling_program("band-server");
  if (!program.ok()) return fail(line, terminal, program.error());
  std::vector<std::string> arguments{"token"};
  arguments.insert(arguments.end(), line.arguments.begin(), line.arguments.end());
  if (line.json && act == "list") arguments.push_back("--json");  // `add` always prints JSON
  const auto finished = run_program(*program, arguments, act == "add");
  if (!finished.ok()) return fail(line, terminal, finished.error());
  if (act == "add" && !finished->out.empty()) return hand_over(*finished, line.arguments[1], line, terminal);
  if (finished->exit_status != 0 && line.json)
    (void)print_json_text(terminal, error_text({.code = Code::SandboxUnavailable,
                                                .doing = "`band-server token " + act + "` failed with status " +
                                                         std::to_string(finished->exit_status),
                                                .hint = "its messages are on stderr"}));
  return finished->exit_status;
}

}  // namespace band::client
