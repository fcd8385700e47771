// Files that a skill's scripts name literally. Pure.
#pragma once

#include <vector>

#include "client/checks/shell_files.h"
#include "schemas/core/diagnostic.h"

namespace band::client {

// Files that redirections and some commands (cat, head, cp, jq, source ...) read or write, and that the band does not
// open. Not those that the script asks for (`[ -f FILE ]`). Of the workspace only those that the script does not make
// itself: nothing is noted of a script that changes its directory, of a file that something else in the script names,
// and of what is read behind a command that can make any file (tar, a declared one).
void note_paths(const ShellSkill& skill, std::vector<Diagnostic>& notes);

}  // namespace band::client
