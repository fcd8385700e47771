// band-server: the engine, and the administrator's commands around it. See docs/server.md.
#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "server/admin/commands.h"
#include "server/admin/paths.h"
#include "server/base/io.h"
#include "server/policy/site_config.h"
#include "server/serve.h"

namespace {

constexpr const char* kHelp =
    R"(band-server: runs skills' scripts behind walls. `band` is the command for everyday use; this one is for operators.

  band-server serve [--config FILE]     serve in the foreground (as root); default /etc/band/server.yaml
  band-server setup [--quiet]           make users, configuration, token file and state; start the server
  band-server start | stop
  band-server teardown [--purge] [--quiet]
                                        stop it and remove what it keeps; --purge: configuration and users, too
  band-server token add|revoke NAME     a caller's token; `token list [--json]` shows their names
  band-server --version | --help

  --config FILE goes before or behind any of these. The token file lies beside the configuration.
)";

int fail(const band::Error& error) {
  fmt::print(stderr, "band-server: {}\n", error.message());
  if (!error.hint.empty()) fmt::print(stderr, "hint: {}\n", error.hint);
  return band::exit_code(error.code);
}

band::Result<band::policy::SiteConfig> load_config(const std::string& file) {
  if (!std::filesystem::exists(file)) return band::policy::default_site_config();
  BAND_TRY(const std::string text, band::base::read_file(file, 1 << 20));
  return band::policy::parse_site_config(text, file);
}

band::Status run_server(const band::admin::Paths& paths, const band::policy::SiteConfig& config) {
  spdlog::set_default_logger(spdlog::stderr_logger_mt("band"));
  spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc);
  spdlog::set_level(spdlog::level::from_str(config.log_level));
  return band::server::serve(paths, config);
}

// Takes `--config FILE` out of the arguments.
bool take_config(std::vector<std::string>& args, std::string& file) {
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i] != "--config") continue;
    if (i + 1 == args.size()) return false;
    file = args[i + 1];
    args.erase(args.begin() + static_cast<std::ptrdiff_t>(i), args.begin() + static_cast<std::ptrdiff_t>(i) + 2);
    return true;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
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
  auto config = load_config(paths.config);
  if (!config.ok()) return fail(config.error());
  paths.tokens = std::filesystem::path(paths.config).parent_path() / "tokens";
  paths.address = config->address;
  paths.state_dir = config->state_dir;
  paths.run_dir = config->run_dir;
  if (args[0] == "serve" && args.size() == 1) {
    const band::Status status = run_server(paths, *config);
    return status.ok() ? 0 : fail(status.error());
  }
  if (const auto code = band::admin::run_command(paths, args)) {
    if (*code == 0 && args[0] == "teardown") band::server::remove_leftovers(paths);
    return *code;
  }
  fmt::print(stderr, "band-server: unknown command `{}`; see band-server --help\n", args[0]);
  return 2;
}
