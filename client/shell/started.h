// Which program a command of a script starts. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "client/shell/reading.h"
#include "client/shell/wrappers.h"

namespace band::client {

struct StartedProgram {
  std::span<const ShellWord> words;  // of the command: the program's name and its arguments as they are written
  bool whole = true;   // these are its arguments: xargs and find(1) append none, and replace no part of them
  std::string unread;  // the word from which on it is not known what else it starts; "": all is known
  SearchPath path = SearchPath::Kept;
};

// One command has at most so many: further ones are left out.
inline constexpr std::size_t kMaxStartedPrograms = 50;

// The program itself, and those that its arguments name at any depth, each behind the one that starts it: behind the
// wrappers of wrappers.h, and of find(1)'s -exec. A name that is made at run time is left out. `command` has to outlive
// the result.
std::vector<StartedProgram> started_programs(const ShellCommand& command, SearchPath path = SearchPath::Kept);
std::vector<StartedProgram> started_programs(ShellCommand&& command, SearchPath path = SearchPath::Kept) = delete;

// Operands of `words`: neither options nor their values. `taking`: letters of the short options with a value. An option
// with two dashes has its value behind `=`, unless `long_taking` names it.
std::vector<ShellWord> operands_of(std::span<const ShellWord> words, std::string_view taking,
                                   std::initializer_list<std::string_view> long_taking = {});

}  // namespace band::client
