// band-server: the engine, and the administrator's commands around it. See docs/server.md.
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
#include "server/needs.h"
#include "server/policy/site_config.h"
#include "server/serve.h"

namespace {

constexpr const char* kHelp =
    R"(band-server: runs skills' scripts behind walls. `band` is the command for everyday use; this one is for operators.

  band-server serve [--config FILE]     serve in the foreground (as root); default /etc/band/server.yaml
  band-server check [--config FILE]     look at configuration and machine as `serve` does, and say what it would refuse
  band-server setup [--quiet]           make users, configuration, token file and state; start the server
  band-server start | stop
  band-server drain [--seconds N]       accept no executions, and wait until those that run have ended (300 s); what is
                                        left then is printed, and executions are accepted again
  band-server teardown [--purge] [--quiet]
                                        stop it and remove what it keeps; --purge: configuration and users, too
  band-server token add|revoke NAME     a caller's token; `token list [--json]` shows their names
  band-server --version | --help

  --config FILE goes before or behind any of these. The token file lies beside the configuration. Without the default
  file the defaults hold; any other has to be there, or `setup` writes it.
)";

int fail(const band::Error& error) {
  fmt::print(stderr, "band-server: {}\n", error.message());
  if (!error.hint.empty()) fmt::print(stderr, "hint: {}\n", error.hint);
  return band::exit_code(error.code);
}

band::Error usage(std::string what) {
  return {.code = band::Code::Usage, .doing = std::move(what), .hint = "band-server --help"};
}

// `may_be_missing`: then the defaults hold. Not for a name that somebody wrote: mistyped, it would leave the operator's
// ceiling out, and nobody would hear of it.
band::Result<band::policy::SiteConfig> load_config(const std::string& file, bool may_be_missing) {
  const auto text = band::base::read_file(file, 1 << 20);
  if (text.ok()) return band::policy::parse_site_config(*text, file);
  const int err = text.error().err;
  if (err == ENOENT && may_be_missing) return band::policy::default_site_config();
  return band::Error{.code = band::Code::Usage,
                     .doing = "read the configuration " + file + (err == 0 ? ": " + text.error().doing : ""),
                     .err = err,
                     .hint = err == ENOENT ? "`band-server setup --config FILE` writes a new one" : ""};
}

// Which server is meant, and what teardown removes, stands in the file: no guess takes its place.
int config_failed(band::Error error, const std::string& verb) {
  if (verb == "token")
    error.hint = "name the file that the server was started with: its tokens file lies beside it";
  else if (verb == "stop" || verb == "teardown")
    error.hint = "`band-server " + verb +
                 "` has to read it; without it `systemctl stop band-server` ends the server, or SIGTERM to the process "
                 "whose number is in server.pid of its run directory, /run/band unless said";
  return fail(error);
}

// The file has been read; now what `serve` needs beside it.
int check(const band::admin::Paths& paths, const band::policy::SiteConfig& config) {
  if (::access(paths.config.c_str(), F_OK) == 0)
    fmt::print("{} is good\n", paths.config);
  else
    fmt::print("there is no {}: the defaults hold\n", paths.config);
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
  // In systemd's journal they are beside the others: it drops by its own rules, and not the oldest of one file.
  if (band::admin::logs_to_file(paths)) BAND_CHECK(band::run::open_executions_log(paths.executions_log()));
  return band::server::serve(paths, config);
}

// Takes `--config FILE` or `--config=FILE` out of the arguments. False: FILE is not there, or empty.
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
  if ((verb == "serve" || verb == "check") && args.size() > 1) return fail(usage(verb + " does not take " + args[1]));
  band::policy::SiteConfig config;
  const bool may_be_missing = verb == "setup" || paths.config == band::admin::Paths().config;
  if (auto loaded = load_config(paths.config, may_be_missing); loaded.ok()) {
    config = std::move(*loaded);
  } else if (std::error_code none; verb == "token" && std::filesystem::is_regular_file(paths.config, none)) {
    // Tokens are changed whatever the configuration says. Where there is no file, the tokens file beside that name may
    // be another server's, and the server that accepts the token would not be asked.
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
  if (const auto code = band::admin::run_command(paths, args)) {
    if (*code == 0 && verb == "teardown") band::server::remove_leftovers(paths);
    return *code;
  }
  return fail(usage("unknown command `" + verb + "`"));
}

}  // namespace

int main(int argc, char** argv) {
  ::signal(SIGCHLD, SIG_DFL);  // ignored by who started us, no child would have a status
  std::vector<std::string> args(argv + 1, argv + argc);
  band::admin::Paths paths;
  paths.program = band::admin::own_program();
  if (!take_config(args, paths.config)) {
    fmt::print(stderr, "band-server: --config needs a file\n");
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
