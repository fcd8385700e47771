// The arguments of a shell script: `getopts`, a `case "$1" in --name) ...` loop, `$1` and `$2` that get names, and the
// usage text. Pure.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "client/convert/argument.h"
#include "client/convert/shell_tokens.h"
#include "client/convert/usage.h"

namespace band::client {

// `functions`: names of the script's own functions; `main "$@"` is no use of the arguments. Nothing is required that
// the script may do without: it complains itself.
ReadArguments read_shell_arguments(const std::vector<ShellToken>& tokens, const std::set<std::string>& functions,
                                   const Usage& usage);

// Here-documents, comments at the beginning and strings of `echo` and `printf`, for read_usage().
std::string shell_help_text(const std::vector<ShellToken>& tokens);

}  // namespace band::client
