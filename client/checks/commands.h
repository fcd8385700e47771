// Checks the commands of a skill's scripts. Pure.
#pragma once

#include <vector>

#include "client/checks/shell_files.h"
#include "schemas/core/diagnostic.h"

namespace band::client {

// Adds a note for each command that bash would not find: a command that is neither an essential
// (schemas/programs/essentials.h), nor a builtin, nor a function, nor declared in `cli`. Adds a note for each command
// line that would be refused, because no rule of the band allows the line or because a deny rule matches the line.
// There is no note for a name whose existence the script checks (`command -v NAME`). There is no note at all for a
// script that sources unknown files, because these files can define functions.
void note_commands(const ShellSkill& skill, std::vector<Diagnostic>& notes);

}  // namespace band::client
