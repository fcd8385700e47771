// The operator's commands of band-server, from arguments to exit code. server/main.cc passes its arguments to
// run_command(), without the program's name and without `--config FILE`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/admin/paths.h"

namespace band::admin {

// `args` is one of: setup [--quiet] | teardown [--purge] [--quiet] | start | stop | drain [--seconds N] | token add
// NAME | token list [--json] | token revoke NAME. Returns nullopt when `args` is empty or args[0] is not one of these
// commands. Otherwise returns the exit code: 0 on success; on an error, exit_code() of the error's code
// (schemas/core/result.h), for example 2 for wrong arguments, 3 without root.
//
// Prints progress and errors on stderr, and these results on stdout:
// - setup, start: {"url": "http://127.0.0.1:PORT"}, with the address Paths::address;
// - token add: {"url": "...", "token": "..."}, without "url" when the port of the server is not known;
// - token list: one line `CREATED  ID  NAME` for each token; with --json an array of objects with these members;
// - drain: {"left": [...]} with id, token and script of each execution that is left. If an execution is left, the exit
//   code is that of Code::ServerBusy.
std::optional<int> run_command(const Paths& paths, const std::vector<std::string>& args);

}  // namespace band::admin
