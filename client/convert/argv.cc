#include "client/convert/argv.h"

#include <optional>
#include <utility>

namespace band::client {
namespace {

constexpr std::size_t kMostArguments = 20;

// Reads `NAME = sys.argv[N]` and `NAME = int(sys.argv[N])`; the token `at` is `argv`.
std::optional<Argument> named_at(const std::vector<PythonToken>& tokens, std::size_t at) {
  if (at < 4 || !tokens[at - 1].is(".")) return std::nullopt;
  Argument argument;
  std::size_t name = at - 4, behind = at + 4;
  if (tokens[at - 3].is("(") && at >= 6) {
    const PythonToken& type = tokens[at - 4];
    if (!type.is("int") && !type.is("float") && !type.is("str") && !type.is("Path")) return std::nullopt;
    if (type.is("int")) argument.type = "integer";
    if (type.is("float")) argument.type = "number";
    if (type.is("Path")) argument.path = PathUse::Reads;
    if (behind >= tokens.size() || !tokens[behind].is(")")) return std::nullopt;
    name = at - 6;
    ++behind;
  }
  if (!tokens[name].is_name() || !tokens[name + 1].is("=")) return std::nullopt;
  argument.property = property_name(tokens[name].text);
  argument.required = behind >= tokens.size() || !tokens[behind].is("if");
  argument.line = tokens[at].line;
  argument.column = tokens[at].column;
  if (const PathUse use = path_use_of(argument); use != PathUse::None) argument.path = use;
  return argument;
}

// Returns N of `sys.argv[N]`, 0 to 20; -1 for another use.
int index_at(const std::vector<PythonToken>& tokens, std::size_t at) {
  if (at + 3 >= tokens.size() || !tokens[at + 1].is("[") || !tokens[at + 3].is("]")) return -1;
  const std::string& number = tokens[at + 2].text;
  for (std::size_t i = 0; i <= kMostArguments; ++i)
    if (tokens[at + 2].kind == PythonToken::Kind::Number && number == std::to_string(i)) return static_cast<int>(i);
  return -1;
}

}  // namespace

ReadArguments read_argv(const std::vector<PythonToken>& tokens) {
  ReadArguments found;
  std::vector<Argument> arguments;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    if (!tokens[at].is("argv") || (at >= 4 && tokens[at - 3].is("(") && tokens[at - 4].is("len"))) continue;
    const int index = index_at(tokens, at);
    if (index >= 0 && index <= static_cast<int>(arguments.size())) continue;  // the program's name, or used again
    auto named = index == static_cast<int>(arguments.size()) + 1 ? named_at(tokens, at) : std::nullopt;
    if (!named) {
      found.why_not = "`sys.argv` is used in other ways than `NAME = sys.argv[1]`";
      found.line = tokens[at].line;
      found.column = tokens[at].column;
      return found;
    }
    arguments.push_back(std::move(*named));
  }
  if (arguments.empty()) return found;
  found.source = "sys.argv";
  found.forms.push_back({"", "", {}, std::move(arguments), false});
  return found;
}

}  // namespace band::client
