// Finds names of variables in calls of bash's builtins and in assignments. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "client/shell/reading.h"

namespace band::client {

// Returns `words` without `command` and `builtin` at the beginning, and without their options. Returns `words`
// unchanged for `command -v` and `command -V`, which do not run a command.
std::vector<ShellWord> without_prefixes(const std::vector<ShellWord>& words);

// Returns the variables to which a command assigns: a and b for `read a b`, x for `printf -v x`, y for `declare y`.
// `words` is a result of without_prefixes().
std::vector<std::string> names_given(const std::vector<ShellWord>& words);

// Returns the name at the start of `text`: a letter or `_`, then letters, digits and `_`. May be empty.
std::string_view variable_name(std::string_view text);

// The start of an assignment: `NAME=`, `NAME+=`, `NAME[...]=` or `NAME[...]+=`.
struct AssignmentHead {
  std::string_view name;
  bool has_subscript = false;
  std::size_t size = 0;  // the number of bytes before the value; 0: `text` does not begin with an assignment
};
AssignmentHead assignment_head(std::string_view text);

}  // namespace band::client
