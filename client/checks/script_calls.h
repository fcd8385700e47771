// Finds lines of SKILL.md that make an agent start a script of the skill without band. Such a line has an interpreter
// followed by the path of a script. In code (a code block, or text between backquotes), a line is also found if a
// command in it sources a script, or if a command's name is a script's path that begins with `./`. Pure.
#pragma once

#include <string>
#include <vector>

#include "client/checks/markdown.h"
#include "schemas/core/diagnostic.h"

namespace band::client {

// `names`: the names of the skill's scripts; if one of them fits the path, the note proposes `band call` with this
// name. Adds at most one note for each line.
void note_script_calls(const std::string& skill, const std::vector<MarkdownLine>& lines,
                       const std::vector<std::string>& names, std::vector<Diagnostic>& notes);

}  // namespace band::client
