// How bash's builtins use names of variables. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "client/shell/reading.h"

namespace band::client {

// Returns the words without leading `command` and `builtin` and their options.
std::vector<ShellWord> without_prefixes(const std::vector<ShellWord>& words);

// Returns the names to which the command assigns: `read a b`, `printf -v x`, `declare y`. `words` has no such prefix.
std::vector<std::string> names_given(const std::vector<ShellWord>& words);

// Returns the name at the start of `text`: a letter or `_`, then letters, digits and `_`. May be empty.
std::string_view variable_name(std::string_view text);

// The start of an assignment: `NAME=`, `NAME+=`, `NAME[...]=` or `NAME[...]+=`.
struct AssignmentHead {
  std::string_view name;
  bool has_subscript = false;
  std::size_t size = 0;  // length up to the value; 0: `text` does not begin with an assignment
};
AssignmentHead assignment_head(std::string_view text);

}  // namespace band::client
