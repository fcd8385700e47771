// Options and scripts by which a program starts another one: tar --to-command, sort --compress-program, sed's `e`,
// git -c core.pager ... Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "client/shell/reading.h"

namespace band::client {

struct NamedProgram {
  std::string by;    // "--to-command", "the command `e` of its script"
  std::string text;  // what it starts, a command line; "" when that is not known
};

// The first one of a command whose name, without directories, is `name`. In doubt there is one. What a file names (a
// script of sed's, a repository's configuration) is one as well for sed, and is not looked at for git.
std::optional<NamedProgram> named_program(std::string_view name, std::span<const ShellWord> words);

// Does this script have a command `e` or `s///e`? Also true of one that is not understood.
bool sed_starts_program(std::string_view script);

}  // namespace band::client
