// Finds programs that git starts because its command line names them. Pure. Private to this room.
//
// Does not cover programs that git takes from a file or from the environment: configuration and hooks of a repository,
// editor, pager, gpg.
#pragma once

#include <optional>
#include <span>

#include "client/shell/named_programs.h"
#include "client/shell/reading.h"

namespace band::client {

std::optional<NamedProgram> program_of_git(std::span<const ShellWord> words);

}  // namespace band::client
