// Checks the commands of a skill's scripts. Pure.
#pragma once

#include <vector>

#include "client/checks/shell_files.h"
#include "schemas/core/diagnostic.h"

namespace band::client {

// Notes commands that bash would not find or that the band would refuse: neither essentials, shell builtins or
// functions nor declared in `cli`; also lines that no rule allows or that a deny matches. A name that the script tests
// for (`command -v NAME`) may be missing. Scripts that source unknown files get no notes.
void note_commands(const ShellSkill& skill, std::vector<Diagnostic>& notes);

}  // namespace band::client
