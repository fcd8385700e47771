// The operator's commands of band-server, from arguments to exit code. server/main.cc passes its arguments to
// run_command() unchanged.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/admin/paths.h"

namespace band::admin {

// `args` (without the program's name) is one of: setup [--quiet] | teardown [--purge] [--quiet] | start | stop | drain
// [--seconds N] | token add NAME | token list [--json] | token revoke NAME. Returns the exit code; nullopt when args[0]
// is not one of these commands. Prints progress and errors on stderr, and results on stdout. The result of setup and
// start is {"url": "http://127.0.0.1:PORT"}; the result of token add is {"url": "...", "token": "..."}.
std::optional<int> run_command(const Paths& paths, const std::vector<std::string>& args);

}  // namespace band::admin
