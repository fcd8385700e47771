// Checks the literal file names in a skill's scripts. Pure.
#pragma once

#include <vector>

#include "client/checks/shell_files.h"
#include "schemas/core/diagnostic.h"

namespace band::client {

// Notes files that redirections and some commands (cat, head, cp, jq, source ...) read or write and that the band does
// not open. Exempt: files that the script tests for (`[ -f FILE ]`), and files of the workspace that the script may
// create itself. For the workspace there is no note for a script that changes its directory, for a file that other text
// in the script names, and for a file that is read after a command that can create any file (tar, a declared command).
void note_paths(const ShellSkill& skill, std::vector<Diagnostic>& notes);

}  // namespace band::client
