// Options and scripts with which a program starts another one: tar --to-command, sort --compress-program, `e` of sed,
// git -c core.pager ... Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "client/shell/reading.h"

namespace band::client {

struct NamedProgram {
  std::string by;    // for example "--to-command", "the command `e` of its script"
  std::string text;  // the started command line; "" if unknown
};

// Returns the first program that a command starts this way. `name`: the command's name without directories. In doubt
// the result is not empty. A file operand (a sed script) counts as a program for sed; a repository's configuration is
// not checked for git.
std::optional<NamedProgram> named_program(std::string_view name, std::span<const ShellWord> words);

// Returns whether this script has a command `e` or `s///e`; true, too, if it cannot be parsed.
bool sed_starts_program(std::string_view script);

}  // namespace band::client
