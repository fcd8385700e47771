#include "server/floor/shebang.h"

#include <algorithm>

namespace band::floor {
namespace {

constexpr const char* kBlanks = " \t";

Error refuse(std::string_view line, const std::string& why) {
  return layer_error("floor", "cannot read the first line `" + std::string(line) + "`: " + why, 0,
                     "write the absolute path of the interpreter");
}

// Removes the next word from `text` and returns it.
std::string take_word(std::string_view& text) {
  const std::size_t from = std::min(text.find_first_not_of(kBlanks), text.size());
  const std::size_t to = std::min(text.find_first_of(kBlanks, from), text.size());
  std::string word(text.substr(from, to - from));
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks, to), text.size()));
  return word;
}

bool is_env(std::string_view path) { return path == "/usr/bin/env" || path == "/bin/env"; }

Result<Shebang> ask_env(std::string_view line, std::string_view argument) {
  Shebang shebang;
  if (argument.substr(0, 2) != "-S") {
    // The kernel passes the rest of the line as one argument, so env uses it as one name, including blanks.
    shebang.interpreter = argument;
  } else {
    argument.remove_prefix(2);
    if (argument.find_first_of("'\"\\$#") != std::string_view::npos)
      return refuse(line, "quotes and variables of env -S are not supported");
    shebang.interpreter = take_word(argument);
    while (!argument.empty()) shebang.arguments.push_back(take_word(argument));
  }
  const std::string& name = shebang.interpreter;
  if (name.empty() || name.front() == '-' || name.find_first_of("= \t") != std::string::npos)
    return refuse(line, "options and variables of env are not supported");
  if (name.front() != '/' && name.find('/') != std::string::npos) return refuse(line, "the path is relative");
  return shebang;
}

}  // namespace

Result<Shebang> parse_shebang(std::string_view head) {
  if (head.substr(0, 2) != "#!") return Shebang{};
  head = head.substr(0, kShebangBytes);
  const std::size_t end = head.find('\n');
  const std::string_view line = head.substr(0, end);
  if (end == std::string_view::npos && head.size() == kShebangBytes)
    return refuse(line, "it is longer than 255 bytes, the maximum of the kernel");
  std::string_view rest = line.substr(2);
  Shebang shebang;
  shebang.interpreter = take_word(rest);
  while (!rest.empty() && (rest.back() == ' ' || rest.back() == '\t')) rest.remove_suffix(1);
  if (shebang.interpreter.empty() || shebang.interpreter.front() != '/' || line.find('\0') != std::string_view::npos)
    return refuse(line, "it has no absolute path of an interpreter");
  if (is_env(shebang.interpreter)) return ask_env(line, rest);
  if (!rest.empty()) shebang.arguments.emplace_back(rest);
  return shebang;
}

}  // namespace band::floor
