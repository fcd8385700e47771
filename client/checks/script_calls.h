// Finds lines of SKILL.md that make an agent start a script of the skill without band: commands in code, and an
// interpreter with a script in a sentence. A path without an interpreter counts only in code, with the prefix `./`.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "client/checks/markdown.h"
#include "schemas/core/diagnostic.h"

namespace band::client {

// `names` are the skill's scripts. A line has at most one note.
void note_script_calls(const std::string& skill, const std::vector<MarkdownLine>& lines,
                       const std::vector<std::string>& names, std::vector<Diagnostic>& notes);

}  // namespace band::client
