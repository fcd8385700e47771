// Reads the arguments of a shell script from `getopts`, a `case "$1" in --name) ...` loop, assignments of `$1` and `$2`
// to names, and the usage text. Pure.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "client/convert/argument.h"
#include "client/convert/shell_tokens.h"
#include "client/convert/usage.h"

namespace band::client {

// `functions`: names of the script's own functions; `main "$@"` does not count as a use of the arguments. An argument
// is required only if the script always needs it; for others the script reports the error itself.
ReadArguments read_shell_arguments(const std::vector<ShellToken>& tokens, const std::set<std::string>& functions,
                                   const Usage& usage);

// Returns here-documents, comments at the beginning and strings of `echo` and `printf`, for read_usage().
std::string shell_help_text(const std::vector<ShellToken>& tokens);

}  // namespace band::client
