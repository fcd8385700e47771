// Programs that start another one, whose name and arguments stand behind their own: how each reads its command line,
// as its manual says (coreutils 9, findutils 4.9, GNU time 1.9, bash 5.2). Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "client/shell/reading.h"

namespace band::client {

// What becomes of PATH, by which a program is found. Changed: it is set to something.
enum class SearchPath { Kept, Changed, Removed };

struct Wrapped {
  enum class Kind { Nothing, Program, Unread };
  Kind kind = Kind::Nothing;
  std::size_t at = 0;    // Program: the index of its name; Nothing: behind all words, if it has no operand for it
  std::string unread;    // Unread: the option
  bool appends = false;  // it puts arguments that are not known behind the words (xargs)
  std::string replaced;  // xargs -I: what stands for such an argument
  SearchPath path = SearchPath::Kept;
};

bool is_wrapper(std::string_view name);
// Of a command whose name, without directories, is that of a wrapper. `words` has the name first.
Wrapped wrapped(std::string_view name, std::span<const ShellWord> words);

}  // namespace band::client
