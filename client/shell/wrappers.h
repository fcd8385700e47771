// Wrappers: programs such as env, nice and xargs, which start the program that their operands name. Parses their
// command lines according to their manuals (coreutils 9, findutils 4.9, GNU time 1.9, bash 5.2). Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "client/shell/reading.h"

namespace band::client {

// The PATH with which the wrapper looks up the started program: that of the script, another value (`env PATH=...`), or
// none (`env -i`, `command -p`).
enum class SearchPath { Kept, Changed, Removed };

struct Wrapped {
  enum class Kind { Nothing, Program, Unread };
  Kind kind = Kind::Nothing;
  // Program: the index of the name of the started program. Nothing (no program is started): at least words.size() if
  // the name is missing; 0 if an option such as `--help` prevents the start.
  std::size_t at = 0;
  std::string unread;    // Unread: the option that wrapped() does not know, so the program is not known
  bool appends = false;  // the wrapper appends arguments that are not known (xargs)
  std::string replaced;  // the placeholder that the wrapper replaces by an argument that is not known (xargs -I)
  SearchPath path = SearchPath::Kept;
};

bool is_wrapper(std::string_view name);
// Parses a command line of the wrapper `name` (without directories). words[0] is the name as written.
Wrapped wrapped(std::string_view name, std::span<const ShellWord> words);

}  // namespace band::client
