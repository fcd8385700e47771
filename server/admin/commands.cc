#include "server/admin/commands.h"

#include <cerrno>
#include <cstdio>

#include "schemas/core/json_text.h"
#include "schemas/core/result.h"
#include "server/admin/drain.h"
#include "server/admin/service.h"
#include "server/admin/setup.h"
#include "server/admin/teardown.h"
#include "server/admin/tokens.h"
#include "server/admin/tokens_file.h"

namespace band::admin {
namespace {

using Args = std::vector<std::string>;

constexpr const char* kUsage =
    "usage: band-server setup [--quiet] | teardown [--purge] [--quiet] | start | stop\n"
    "       band-server drain [--seconds N]\n"
    "       band-server token add NAME | token list [--json] | token revoke NAME\n";

Error usage(const std::string& what) { return Error{.code = Code::Usage, .doing = what, .hint = kUsage}; }

void say(std::string_view line) {
  std::fprintf(stderr, "band-server: %.*s\n", static_cast<int>(line.size()), line.data());
}

// Returns an error when the result was not written, because a token that is not printed now is not available later.
Status print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0)
    return Error{.code = Code::Internal, .doing = "cannot write to stdout", .err = errno};
  return done();
}

std::string url_of(const Paths& paths, std::uint16_t port) {
  const bool v6 = paths.address.find(':') != std::string::npos;
  return "http://" + (v6 ? "[" + paths.address + "]" : paths.address) + ":" + std::to_string(port);
}

Status print_url(const Paths& paths, std::uint16_t port) {
  return print(json_object({{"url", json_string(url_of(paths, port))}}) + "\n");
}

// Prints one line with all that the token's owner needs: the token and, when it is known, the server's URL.
Status print_token(const Paths& paths, const std::string& token) {
  const std::string text = json_string(token);
  if (const auto port = known_port(paths))
    return print(json_object({{"url", json_string(url_of(paths, *port))}, {"token", text}}) + "\n");
  return print(json_object({{"token", text}}) + "\n");
}

Status list_tokens(const Paths& paths, bool as_json) {
  BAND_TRY(const auto tokens, load_tokens(paths.tokens));
  std::vector<std::string> list;
  std::string lines;
  for (const Token& t : tokens) {
    list.push_back(
        json_object({{"name", json_string(t.name)}, {"id", json_string(t.id)}, {"created", json_string(t.created)}}));
    lines += t.created + "  " + t.id + "  " + t.name + "\n";
  }
  return print(as_json ? json_array(list) + "\n" : lines);
}

// Called when the tokens file has been changed: waits until a running server has loaded the changed file.
Status confirmed(const Paths& paths, const std::string& what) {
  if (!paths.why_no_run_dir.empty())
    return Error{
        .code = Code::ServerUnreachable,
        .doing = what + "; no server was notified, because the run directory is unknown: " + paths.why_no_run_dir,
        .hint = "a running server checks the file for changes each second"};
  Status status = confirm_tokens(paths);
  if (!status.ok()) status.error().doing = what + "; " + status.error().doing;
  return status;
}

Status token_command(const Paths& paths, const Args& args) {
  const std::string verb = args.size() > 1 ? args[1] : "";
  BAND_CHECK(require_root("band-server token " + verb + (args.size() > 2 ? " " + args[2] : "")));
  if (verb == "list" && args.size() == 2) return list_tokens(paths, false);
  if (verb == "list" && args.size() == 3 && args[2] == "--json") return list_tokens(paths, true);
  if (verb == "add" && args.size() == 3) {
    BAND_TRY(const std::string token, add_token(paths.tokens, args[2]));
    Status known = confirmed(paths, "the token was added to the file");
    // A running server loads the file within one second, and refuses the token until then.
    if (!known.ok() && !paths.why_no_run_dir.empty()) {
      say(known.error().message());
      known = done();
    }
    Status printed = print_token(paths, token);
    if (!printed.ok()) BAND_CHECK(revoke_token(paths.tokens, args[2]));
    return printed.ok() ? known : printed;
  }
  if (verb == "revoke" && args.size() == 3) {
    BAND_CHECK(revoke_token(paths.tokens, args[2]));
    return confirmed(paths, "the token was removed from the file");
  }
  return usage("token accepts `add NAME`, `list`, `list --json` or `revoke NAME`");
}

// drain [--seconds N]: prints {"left": [...]}; Code::ServerBusy when executions are left.
Status drain_command(const Paths& paths, const Args& args) {
  constexpr int kSeconds = 300, kMost = 24 * 3600;
  int seconds = kSeconds;
  if (args.size() == 3 && args[1] == "--seconds" && !args[2].empty() && args[2].size() < 6 &&
      args[2].find_first_not_of("0123456789") == std::string::npos && std::stoi(args[2]) <= kMost)
    seconds = std::stoi(args[2]);
  else if (args.size() != 1)
    return usage("drain accepts --seconds N, 0 to " + std::to_string(kMost));
  BAND_CHECK(require_root("band-server drain"));
  BAND_TRY(const auto left, drain(paths, seconds, say));
  std::vector<std::string> list;
  list.reserve(left.size());
  for (const Going& one : left)
    list.push_back(json_object(
        {{"id", json_string(one.id)}, {"token", json_string(one.token)}, {"script", json_string(one.script)}}));
  BAND_CHECK(print(json_object({{"left", json_array(list)}}) + "\n"));
  if (left.empty()) return done();
  return Error{.code = Code::ServerBusy,
               .doing = std::to_string(left.size()) + (left.size() == 1 ? " execution" : " executions") +
                        " did not end within " + std::to_string(seconds) +
                        " s; the server accepts new executions again",
               .hint = "wait longer with --seconds N, or end the executions with `band-server stop`"};
}

struct Flags {
  bool purge = false, quiet = false;
};

Result<Flags> flags_of(const Args& args) {
  Flags flags;
  for (std::size_t i = 1; i < args.size(); ++i) {
    if (args[i] == "--purge" && args[0] == "teardown") {
      flags.purge = true;
    } else if (args[i] == "--quiet" && (args[0] == "setup" || args[0] == "teardown")) {
      flags.quiet = true;
    } else {
      return usage(args[0] + " does not accept " + args[i]);
    }
  }
  return flags;
}

Status run(const Paths& paths, const Args& args) {
  const std::string& verb = args[0];
  if (verb == "token") return token_command(paths, args);
  if (verb == "drain") return drain_command(paths, args);
  BAND_TRY(const Flags flags, flags_of(args));
  const Progress progress = flags.quiet ? Progress([](std::string_view) {}) : Progress(say);
  if (verb == "teardown") return teardown(paths, flags.purge, progress);
  if (verb == "setup") {
    BAND_TRY(const std::uint16_t port, setup(paths, progress));
    return print_url(paths, port);
  }
  BAND_CHECK(require_root("band-server " + verb));
  if (verb == "stop") return stop(paths, progress);
  BAND_TRY(const std::uint16_t port, start(paths, progress));
  return print_url(paths, port);
}

}  // namespace

std::optional<int> run_command(const Paths& paths, const std::vector<std::string>& args) {
  if (args.empty()) return std::nullopt;
  bool ours = false;
  for (const char* verb : {"setup", "teardown", "start", "stop", "drain", "token"}) ours = ours || args[0] == verb;
  if (!ours) return std::nullopt;
  const Status status = run(paths, args);
  if (status.ok()) return 0;
  say(status.error().message());
  if (!status.error().hint.empty()) std::fprintf(stderr, "hint: %s\n", status.error().hint.c_str());
  return exit_code(status.error().code);
}

}  // namespace band::admin
