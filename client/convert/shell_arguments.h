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
// not count as a use of the arguments. `usage`: the result of read_usage() for shell_help_text().
//
// Only an argument that is read from the usage text can be marked as required. All arguments that are read from the
// code are optional in the input; if one of them is missing, the script itself reports this.
//
// If the script has none of the four (`getopts`, loop, assignments, readable usage text) and no `"$@"`, the result has
// no forms. If they name no argument, it has one form without arguments. If the script uses arguments in a way that
// cannot be read, there are no forms, and `why_not` has the reason.
ReadArguments read_shell_arguments(const std::vector<ShellToken>& tokens, const std::set<std::string>& functions,
                                   const Usage& usage);

// Returns the text in which read_usage() searches: the here-documents, the comments at the beginning, and the strings
// of `echo` and `printf`.
std::string shell_help_text(const std::vector<ShellToken>& tokens);

}  // namespace band::client
