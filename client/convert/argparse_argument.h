// One call of argparse's `add_argument` as an argument of the script. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "client/convert/argument.h"
#include "client/convert/python_tokens.h"

namespace band::client {

using PythonKeywords = std::map<std::string, PythonValue>;
// The values of the call whose `(` is the token `open`: by keyword, and in `others` those without one.
PythonKeywords python_keywords(const std::vector<PythonToken>& tokens, std::size_t open,
                               std::vector<PythonValue>* others = nullptr);
std::string keyword_text(const PythonKeywords& named, const char* keyword);  // "" when it is not a string

struct AddedArgument {
  std::optional<Argument> argument;  // nothing for --help and --version: a caller needs neither
  std::string why_not;               // why the call cannot be read
};
// `at` is the token `add_argument`; `exclusive`: of its group one argument can be given.
AddedArgument read_add_argument(const std::vector<PythonToken>& tokens, std::size_t at, bool exclusive);

}  // namespace band::client
