// Finds programs that a command starts because its arguments name them, in an option or in a script: tar --to-command,
// sort --compress-program, `e` of sed, git -c core.pager ... Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "client/shell/reading.h"

namespace band::client {

struct NamedProgram {
  std::string by;    // what names the program: "--to-command", "the command `e` of its script"
  std::string text;  // the command line of the started program; "" if unknown
};

// Returns the first program that a command starts in this way; nullopt if there is none. `name`: the command's name
// without directories. `words`: the whole command line; words[0] is the command's name. Also returns a NamedProgram if
// the command may start a program: for example, a script that sed reads from a file may start one. For git, the
// repository's configuration is not checked.
std::optional<NamedProgram> named_program(std::string_view name, std::span<const ShellWord> words);

// Returns whether this sed script has a command `e` or `s///e`. Also returns true if the script cannot be parsed.
bool sed_starts_program(std::string_view script);

}  // namespace band::client
