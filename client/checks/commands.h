// Commands of a skill's scripts. Pure.
#pragma once

#include <vector>

#include "client/checks/shell_files.h"
#include "schemas/core/diagnostic.h"

namespace band::client {

// Commands that bash would not find, or that the band would refuse: neither essentials, nor what bash does itself, nor
// functions, nor declared in `cli`; and whole lines that no rule allows or a rule denies. A name that the script asks
// for (`command -v NAME`) may be missing. Nothing is noted of scripts that source files from elsewhere.
void note_commands(const ShellSkill& skill, std::vector<Diagnostic>& notes);

}  // namespace band::client
