// Checks the literal file names in a skill's scripts. Pure.
#pragma once

#include <vector>

#include "client/checks/shell_files.h"
#include "schemas/core/diagnostic.h"

namespace band::client {

// Adds a note for each file that a redirection or a command of a fixed list (cat, head, cp, jq, source ...) reads or
// writes, if the band does not allow this access to the file. There is no note for a file whose existence the script
// checks, as in `[ -f FILE ]`. There is no note for an absolute path that every sandbox has: a path below /tmp, /usr
// and some other directories, or a file such as /etc/hosts.
//
// There is no note for a file of the workspace that the script may create itself. This is assumed if another part of
// the script's text also names the file, or if a command that can create any file (tar, a declared command) runs before
// the file is read. Files of the workspace are not checked in a script that changes its working directory.
void note_paths(const ShellSkill& skill, std::vector<Diagnostic>& notes);

}  // namespace band::client
