// band-server: the engine, and the operator's commands for it. See docs/server.md.
#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "server/admin/commands.h"
#include "server/admin/paths.h"
#include "server/admin/service.h"
#include "server/base/io.h"
#include "server/engine/executions_log.h"
#include "server/floor/trusted_path.h"
#include "server/needs.h"
#include "server/policy/site_config.h"
#include "server/serve.h"
#include "source_digest.h"

namespace {

constexpr const char* kHelp =
    R"(band-server: runs scripts of skills in sandboxes. This command is for operators; users call `band`.

  band-server serve [--config FILE]     serve in the foreground (as root); default /etc/band/server.yaml
  band-server check [--config FILE]     check configuration and machine as `serve` does, and print everything that
                                        `serve` would refuse
  band-server setup [--quiet]           create users, configuration, tokens file and state; start the server, or replace
                                        a running server of another build when its executions have ended
  band-server start | stop              start or stop the server
  band-server drain [--seconds N]       refuse new executions, and wait until the running ones have ended, at most N
                                        seconds (default: 300); if some still run then, print them and accept
                                        executions again
  band-server teardown [--purge] [--quiet]
                                        stop the server and remove its files; --purge: also remove configuration,
                                        tokens and users
  band-server token add|revoke NAME     add or revoke a caller's token
  band-server token list [--json]       print the names of the tokens
  band-server --version | --help

  --config FILE may precede or follow any of these commands. The tokens file is in the directory of the configuration.
  If the default configuration file does not exist, the defaults apply. Another file must exist, except for `setup`,
  which writes it.
)";

int fail(const band::Error& error) {
  fmt::print(stderr, "band-server: {}\n", error.message());
  if (!error.hint.empty()) fmt::print(stderr, "hint: {}\n", error.hint);
  return band::exit_code(error.code);
}

band::Error usage(std::string what) {
  return {.code = band::Code::Usage, .doing = std::move(what), .hint = "see `band-server --help`"};
}

// `may_be_missing`: the defaults then apply. Not for a name that the caller wrote: a mistyped one would silently drop
// the operator's ceiling.
band::Result<band::policy::SiteConfig> load_config(const std::string& file, bool may_be_missing) {
  std::error_code none;
  // First the path: once it is trusted, no other user can replace the file before it is read.
  const band::Status own = band::floor::check_own_path(std::filesystem::absolute(file, none).string());
  if (!own.ok() && own.error().err == 0) return own.error();
  const auto text = own.ok() ? band::base::read_file(file, 1 << 20) : band::Result<std::string>(own.error());
  if (text.ok()) return band::policy::parse_site_config(*text, file);
  const int err = text.error().err;
  if (err == ENOENT && may_be_missing) return band::policy::default_site_config();
  return band::Error{.code = band::Code::Usage,
                     .doing = "cannot read the configuration " + file + (err == 0 ? ": " + text.error().doing : ""),
                     .err = err,
                     .hint = err == ENOENT ? "make it with `band-server setup --config FILE`" : ""};
}

// The file identifies the server, and names what teardown removes: it is not replaced by a guess.
int config_failed(band::Error error, const std::string& verb) {
  if (error.code == band::Code::PermissionDenied) return fail(error);  // its hint corrects it
  if (verb == "token")
    error.hint = "name the file that the server was started with: the tokens file is in the same directory";
  else if (verb == "stop" || verb == "teardown")
    error.hint =
        "`band-server " + verb +
        "` must read it; without it, stop the server with `systemctl stop band-server`, or send SIGTERM to the "
        "process whose pid is in server.pid of its run directory (default: /run/band)";
  return fail(error);
}

// Called after the file was read: checks the other requirements of `serve`.
int check(const band::admin::Paths& paths, const band::policy::SiteConfig& config) {
  if (::access(paths.config.c_str(), F_OK) == 0)
    fmt::print("{} is valid\n", paths.config);
  else
    fmt::print("there is no {}: the defaults apply\n", paths.config);
  const band::server::Checked checked = band::server::check(paths, config);
  for (const std::string& what : checked.unchecked) fmt::print("not checked: {}\n", what);
  std::fflush(stdout);
  for (const band::Error& error : checked.errors) (void)fail(error);
  return checked.errors.empty() ? 0 : band::exit_code(checked.errors.front().code);
}

band::Status run_server(const band::admin::Paths& paths, const band::policy::SiteConfig& config) {
  spdlog::set_default_logger(spdlog::stderr_logger_mt("band"));
  spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc);
  spdlog::set_level(spdlog::level::from_str(config.log_level));
  // Not under systemd: its journal removes lines by its own rules, not the oldest of one file.
  if (band::admin::logs_to_file(paths)) BAND_CHECK(band::run::open_executions_log(paths.executions_log()));
  return band::server::serve(paths, config);
}

// Removes `--config FILE` or `--config=FILE` from the arguments. Returns false when FILE is missing or empty.
bool take_config(std::vector<std::string>& args, std::string& file) {
  constexpr std::string_view kFlag = "--config", kWithValue = "--config=";
  const auto at = std::find_if(args.begin(), args.end(),
                               [&](const std::string& arg) { return arg == kFlag || arg.starts_with(kWithValue); });
  if (at == args.end()) return true;
  const bool apart = *at == kFlag;
  if (apart && at + 1 == args.end()) return false;
  file = apart ? at[1] : at->substr(kWithValue.size());
  args.erase(at, at + (apart ? 2 : 1));
  return !file.empty();
}

int run(band::admin::Paths paths, const std::vector<std::string>& args) {
  const std::string& verb = args[0];
  if ((verb == "serve" || verb == "check") && args.size() > 1) return fail(usage(verb + " does not accept " + args[1]));
  band::policy::SiteConfig config;
  const bool may_be_missing = verb == "setup" || paths.config == band::admin::Paths().config;
  if (auto loaded = load_config(paths.config, may_be_missing); loaded.ok()) {
    config = std::move(*loaded);
  } else if (std::error_code none; verb == "token" && std::filesystem::is_regular_file(paths.config, none)) {
    // Tokens are changed even if the configuration is invalid. Without a configuration file, the tokens file at that
    // place may belong to another server, and the server that uses the token would not be notified.
    paths.why_no_run_dir = loaded.error().message();
  } else {
    return config_failed(loaded.error(), verb);
  }
  paths.tokens = std::filesystem::path(paths.config).parent_path() / "tokens";
  paths.address = config.address;
  paths.port = config.port;
  paths.state_dir = config.state_dir;
  paths.run_dir = config.run_dir;
  if (verb == "check") return check(paths, config);
  if (verb == "serve") {
    const band::Status status = run_server(paths, config);
    return status.ok() ? 0 : fail(status.error());
  }
  const bool former = band::admin::former_server_ran(paths);
  if (const auto code = band::admin::run_command(paths, args)) {
    if (*code == 0 && verb == "teardown") band::server::remove_leftovers(paths, former);
    return *code;
  }
  return fail(usage("unknown command `" + verb + "`"));
}

}  // namespace

int main(int argc, char** argv) {
  ::signal(SIGCHLD, SIG_DFL);  // if the caller ignored it, wait(2) would return no status
  std::vector<std::string> args(argv + 1, argv + argc);
  band::admin::Paths paths;
  paths.program = band::admin::own_program();
  paths.source = kSourceDigest;
  if (!take_config(args, paths.config)) {
    fmt::print(stderr, "band-server: --config requires a file\n");
    return 2;
  }
  if (args.empty() || args[0] == "--help" || args[0] == "help") {
    fmt::print("{}", kHelp);
    return args.empty() ? 2 : 0;
  }
  if (args[0] == "--version") {
    fmt::print("band-server {}\n", BAND_VERSION);
    return 0;
  }
  return run(paths, args);
}
