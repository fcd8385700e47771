// Programs that start another one, whose name and arguments follow their own, and their command lines according to the
// manuals (coreutils 9, findutils 4.9, GNU time 1.9, bash 5.2). Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "client/shell/reading.h"

namespace band::client {

// The PATH with which the program is looked up. Changed: it is set to another value.
enum class SearchPath { Kept, Changed, Removed };

struct Wrapped {
  enum class Kind { Nothing, Program, Unread };
  Kind kind = Kind::Nothing;
  std::size_t at = 0;    // Program: index of its name; Nothing: past the last word, if the operand for it is missing
  std::string unread;    // Unread: the unknown option
  bool appends = false;  // it appends unknown arguments (xargs)
  std::string replaced;  // xargs -I: the placeholder of such an argument
  SearchPath path = SearchPath::Kept;
};

bool is_wrapper(std::string_view name);
// For a command whose name without directories is that of a wrapper. words[0] is the name.
Wrapped wrapped(std::string_view name, std::span<const ShellWord> words);

}  // namespace band::client
