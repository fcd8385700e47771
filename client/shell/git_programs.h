// Finds programs that git starts because its command line names them. Pure. Only files of this directory include this
// header.
//
// Does not cover programs that git takes from a file or from the environment: configuration and hooks of a repository,
// editor, pager, gpg.
#pragma once

#include <optional>
#include <span>

#include "client/shell/named_programs.h"
#include "client/shell/reading.h"

namespace band::client {

// Returns the first such program, or nullopt if there is none. `words`: the whole command line; words[0] is the name of
// git.
std::optional<NamedProgram> program_of_git(std::span<const ShellWord> words);

}  // namespace band::client
