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
// Returns the keyword arguments of the call whose `(` is the token `open`; `others` gets the positional ones.
PythonKeywords python_keywords(const std::vector<PythonToken>& tokens, std::size_t open,
                               std::vector<PythonValue>* others = nullptr);
std::string keyword_text(const PythonKeywords& named, const char* keyword);  // "" when it is not a string

struct AddedArgument {
  std::optional<Argument> argument;  // nullopt for --help and --version, which a caller does not need
  std::string why_not;               // why the call cannot be read
};
// `at` is the token `add_argument`. `exclusive`: only one argument of its group can be given.
AddedArgument read_add_argument(const std::vector<PythonToken>& tokens, std::size_t at, bool exclusive);

}  // namespace band::client
