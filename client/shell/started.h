// Finds all programs that a command of a script starts: the command itself, and programs that its arguments name. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "client/shell/reading.h"
#include "client/shell/wrappers.h"

namespace band::client {

struct StartedProgram {
  std::span<const ShellWord> words;  // the program's name and its arguments, as the script writes them
  bool whole = true;                 // false if xargs or find(1) appends arguments, or replaces a part of an argument
  // The first word that could not be interpreted; "" if there is none. Programs that later words name are unknown.
  std::string unread;
  SearchPath path = SearchPath::Kept;  // the PATH with which the program is looked up
};

// Maximum number of programs that are returned for one command; further ones are left out.
inline constexpr std::size_t kMaxStartedPrograms = 50;

// Returns the program of `command` and all programs that it starts, directly or through other programs. A program
// starts another program as a wrapper (such as env or xargs, wrappers.h), or by -exec and similar actions of find(1).
// Each program comes after the program that starts it. Programs whose name contains an expansion are left out. `path`:
// the PATH with which the shell looks up the program of `command`. `command` must outlive the result.
std::vector<StartedProgram> started_programs(const ShellCommand& command, SearchPath path = SearchPath::Kept);
std::vector<StartedProgram> started_programs(ShellCommand&& command, SearchPath path = SearchPath::Kept) = delete;

// Returns the operands in `words`: the words after words[0] that are neither options nor values of options. `taking`:
// the letters of the short options that have a value. `long_taking`: the long options ("--file") whose value is the
// next word; the value of any other long option follows `=`.
std::vector<ShellWord> operands_of(std::span<const ShellWord> words, std::string_view taking,
                                   std::initializer_list<std::string_view> long_taking = {});

}  // namespace band::client
