// Reads the arguments of a shell script from `getopts`, a `case "$1" in --name) ...` loop, assignments of `$1`, `$2`
// ... to variables, and the usage text. Pure.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "client/convert/argument.h"
#include "client/convert/shell_tokens.h"
#include "client/convert/usage.h"

namespace band::client {

// `functions`: names of the functions that the script defines; passing all arguments to one of them (`main "$@"`) does
// not count as a use of the arguments. An argument is marked as required only if the script needs this argument in
// every call. If the script needs an argument only in some calls, the script itself reports a missing argument.
ReadArguments read_shell_arguments(const std::vector<ShellToken>& tokens, const std::set<std::string>& functions,
                                   const Usage& usage);

// Returns the text in which read_usage() searches: the here-documents, the comments at the beginning, and the strings
// of `echo` and `printf`.
std::string shell_help_text(const std::vector<ShellToken>& tokens);

}  // namespace band::client
