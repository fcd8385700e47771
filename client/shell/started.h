// Finds the programs that a command of a script starts. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "client/shell/reading.h"
#include "client/shell/wrappers.h"

namespace band::client {

struct StartedProgram {
  std::span<const ShellWord> words;  // the program's name and its arguments, as written
  bool whole = true;   // the arguments are complete: xargs and find(1) neither append any nor replace a part
  std::string unread;  // the first word that could not be read: programs named after it are unknown; "": all were read
  SearchPath path = SearchPath::Kept;
};

// Limit for one command; further programs are left out.
inline constexpr std::size_t kMaxStartedPrograms = 50;

// Returns the program itself and those that its arguments name, at any depth, each after its starter: programs started
// by the wrappers of wrappers.h, and by -exec of find(1). Computed names are left out. `command` must outlive the
// result.
std::vector<StartedProgram> started_programs(const ShellCommand& command, SearchPath path = SearchPath::Kept);
std::vector<StartedProgram> started_programs(ShellCommand&& command, SearchPath path = SearchPath::Kept) = delete;

// Returns the operands of `words`, without options and their values. `taking`: letters of the short options with a
// value. The value of a long option follows `=`; for the names in `long_taking` it is the next word.
std::vector<ShellWord> operands_of(std::span<const ShellWord> words, std::string_view taking,
                                   std::initializer_list<std::string_view> long_taking = {});

}  // namespace band::client
