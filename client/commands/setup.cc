// setup, teardown and token: the server's side is done by band-server, beside this program; the client's side is the
// target's file.
#include <pwd.h>
#include <unistd.h>

#include "client/commands/commands.h"
#include "client/host/spawn.h"
#include "client/transport/daemon.h"
#include "client/transport/targets.h"
#include "schemas/core/json.h"

namespace band::client {
namespace {

// Only `local` is set up here; a Lima VM and remote servers come with their own issues.
Status check_target(const std::string& name, const char* verb) {
  if (name == "local") {
#ifdef __linux__
    return done();
#else
    return Error{.code = Code::NoVmSoftware, .doing = "target local is this machine itself, which must be Linux"};
#endif
  }
  return Error{.code = Code::Usage,
               .doing = std::string("`band ") + verb + "` does not know the target " + name,
               .hint = std::string("band ") + verb + " --target local"};
}

bool works(const std::string& name) {
  const auto target = load_target(name);
  return target.ok() && Daemon(*target).prove().ok();
}

// Tokens are named after who uses them, so that `band token list` tells.
std::string token_name() {
  const passwd* user = ::getpwuid(::getuid());
  const std::string name = "setup-" + std::string(user != nullptr ? user->pw_name : std::to_string(::getuid()));
  return is_script_name("x/" + name) ? name : "setup-" + std::to_string(::getuid());
}

// The mend of a band-server that failed.
const char* said_above() {
  return ::geteuid() == 0 ? "what it said is above" : "what it said is above; it needs root: sudo band ...";
}

Result<Json> ask_server_program(const std::vector<std::string>& arguments) {
  BAND_TRY(const std::string program, sibling_program("band-server"));
  BAND_TRY(const Finished finished, run_program(program, arguments, true));
  const std::string what = "band-server " + arguments.front();
  if (finished.exit_status != 0)
    return Error{.code = Code::SandboxUnavailable,
                 .doing = "`" + what + "` failed with status " + std::to_string(finished.exit_status),
                 .hint = said_above()};
  // The last line: what stands before it may be notes for people.
  std::string text = finished.out;
  while (text.ends_with('\n')) text.pop_back();
  text.erase(0, text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1);
  auto json = parse_json(text, "output of `" + what + "`");
  if (json.ok() && json->is_object()) return json;
  return Error{.code = Code::Internal,
               .doing = "`" + what + "` did not print a JSON object",
               .hint = "are band and band-server of the same version?"};
}

Result<std::string> string_member(const Json& object, const char* name) {
  if (object.contains(name) && object[name].is_string()) return object[name].get<std::string>();
  return Error{.code = Code::Internal,
               .doing = std::string("band-server did not say its ") + name,
               .hint = "are band and band-server of the same version?"};
}

// True: something was made anew.
Result<bool> set_up(const std::string& name, bool quiet) {
  const bool worked = works(name);
  if (worked && ::geteuid() != 0) return false;  // only root could do more, and there is nothing to do
  std::vector<std::string> arguments{"setup"};
  if (quiet) arguments.push_back("--quiet");
  BAND_TRY(const Json said, ask_server_program(arguments));
  BAND_TRY(const std::string url, string_member(said, "url"));
  if (const auto target = load_target(name); target.ok() && target->url == url && works(name)) return !worked;
  Target target;
  target.name = name;
  BAND_CHECK(parse_url(url, target));
  BAND_TRY(const std::string program, sibling_program("band-server"));
  // A token of this name that this side has lost is of no use to anybody.
  BAND_TRY(const Finished revoked, run_program(program, {"token", "revoke", token_name()}, true, true));
  (void)revoked;
  BAND_TRY(const Json made, ask_server_program({"token", "add", token_name()}));
  BAND_TRY(target.token, string_member(made, "token"));
  BAND_CHECK(save_target(target));
  BAND_CHECK(Daemon(target).prove());  // `token add` has returned, so the server knows it
  return true;
}

}  // namespace

int setup_command(const CommandLine& line, Terminal& terminal) {
  const auto name = target_to_change(line.target, "setup");
  if (!name.ok()) return fail(line, terminal, name.error());
  if (const Status known = check_target(*name, "setup"); !known.ok()) return fail(line, terminal, known.error());
  const auto changed = set_up(*name, line.verbosity == Verbosity::Quiet);
  if (!changed.ok()) return fail(line, terminal, changed.error());
  const auto target = load_target(*name);
  if (!target.ok()) return fail(line, terminal, target.error());
  if (line.json) return print_json(terminal, {{"target", *name}, {"url", target->url}, {"changed", *changed}});
  terminal.note("target " + *name + (*changed ? " is set up: " : " was set up already: ") + target->url);
  return 0;
}

int teardown_command(const CommandLine& line, Terminal& terminal) {
  const auto name = target_to_change(line.target, "teardown");
  if (!name.ok()) return fail(line, terminal, name.error());
  if (const Status known = check_target(*name, "teardown"); !known.ok()) return fail(line, terminal, known.error());
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
  if (const Status removed = remove_target(*name); !removed.ok()) return fail(line, terminal, removed.error());
  terminal.note("target " + *name + " is gone");
  return 0;
}

int token_command(const CommandLine& line, Terminal& terminal) {
  const std::string act = line.arguments.empty() ? "" : line.arguments[0];
  const std::size_t names = line.arguments.empty() ? 0 : line.arguments.size() - 1;
  if ((act != "add" && act != "list" && act != "revoke") || names != (act == "list" ? 0u : 1u))
    return fail(line, terminal,
                {Code::Usage, "", "`band token` takes add NAME, list, or revoke NAME", 0, "band token --help", ""});
  if (names == 1 && !is_script_name("x/" + line.arguments[1]))
    return fail(line, terminal,
                {Code::Usage, "", "\"" + line.arguments[1] + "\" cannot be a token's name", 0,
                 "1 to 64 of A-Z a-z 0-9 . _ -, the first a letter or digit", ""});
  const auto program = sibling_program("band-server");
  if (!program.ok()) return fail(line, terminal, program.error());
  std::vector<std::string> arguments{"token"};
  arguments.insert(arguments.end(), line.arguments.begin(), line.arguments.end());
  if (line.json && act == "list") arguments.push_back("--json");  // `add` prints JSON anyway
  const auto finished = run_program(*program, arguments, false);
  if (!finished.ok()) return fail(line, terminal, finished.error());
  if (finished->exit_status != 0 && line.json)
    (void)print_json(terminal, error_to_json({Code::SandboxUnavailable, "",
                                              "`band-server token " + act + "` failed with status " +
                                                  std::to_string(finished->exit_status),
                                              0, "what it said is on stderr", ""}));
  return finished->exit_status;
}

}  // namespace band::client
