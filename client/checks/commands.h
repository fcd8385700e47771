// Checks the commands of a skill's scripts. Pure.
#pragma once

#include <vector>

#include "client/checks/shell_files.h"
#include "schemas/core/diagnostic.h"

namespace band::client {

// Adds a note for each command that bash would not find. Bash finds builtins, functions, commands that a rule of `cli`
// declares, and essentials: the commands that every sandbox has (schemas/programs/essentials.h). There is no note for a
// name whose existence the script checks (`command -v NAME`).
//
// Adds a note for each command line that would be refused, because no rule of the band allows the line or because a
// deny rule matches the line. Checks only lines whose words are all literal.
//
// There is no note at all for a script that sources a file that is not one of the skill's shell files, because this
// file can define functions.
void note_commands(const ShellSkill& skill, std::vector<Diagnostic>& notes);

}  // namespace band::client
