// What bash's own commands do with names of variables. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "client/shell/reading.h"

namespace band::client {

// The words without `command`, `builtin` and their options in front.
std::vector<ShellWord> without_prefixes(const std::vector<ShellWord>& words);

// Names that the command gives a value: `read a b`, `printf -v x`, `declare y`. `words` has no prefix.
std::vector<std::string> names_given(const std::vector<ShellWord>& words);

// The name that `text` begins with: a letter or `_`, then letters, digits and `_`. May be empty.
std::string_view variable_name(std::string_view text);

// `NAME=`, `NAME+=`, `NAME[...]=` and `NAME[...]+=`, with which an assignment begins.
struct AssignmentHead {
  std::string_view name;
  bool has_subscript = false;
  std::size_t size = 0;  // up to the value; 0: `text` begins with none of them
};
AssignmentHead assignment_head(std::string_view text);

}  // namespace band::client
