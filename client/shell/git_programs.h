// Finds programs that a command line of git starts in addition to git's own. Pure. Private to this room.
//
// Does not cover programs named in a file or the environment: a repository's configuration and hooks, editor, pager,
// gpg.
#pragma once

#include <optional>
#include <span>

#include "client/shell/named_programs.h"
#include "client/shell/reading.h"

namespace band::client {

std::optional<NamedProgram> program_of_git(std::span<const ShellWord> words);

}  // namespace band::client
