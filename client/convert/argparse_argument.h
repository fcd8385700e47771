// Converts one call of argparse's `add_argument` to an argument of the script. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "client/convert/argument.h"
#include "client/convert/python_tokens.h"

namespace band::client {

using PythonKeywords = std::map<std::string, PythonValue>;
// Returns the keyword arguments of the call whose `(` is the token `open`. The positional arguments are put into
// `others`.
PythonKeywords python_keywords(const std::vector<PythonToken>& tokens, std::size_t open,
                               std::vector<PythonValue>* others = nullptr);
// Returns the value of this keyword argument; "" when the call does not have it, or when the value is not a string.
std::string keyword_text(const PythonKeywords& named, const char* keyword);

struct AddedArgument {
  // nullopt if `why_not` is set, and for --help and --version, which the new script does not need.
  std::optional<Argument> argument;
  std::string why_not;  // why the call cannot be read; "" if it was read
};
// `at` is the index of the token `add_argument`. `exclusive`: the argument is in a group of which only one argument can
// be given.
AddedArgument read_add_argument(const std::vector<PythonToken>& tokens, std::size_t at, bool exclusive);

}  // namespace band::client
