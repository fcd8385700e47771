// Lines of SKILL.md by which an agent starts a script of the skill itself, outside of band: commands in code, and an
// interpreter with a script in a sentence. A path alone is a call only with `./` in front, as a command in code. Pure.
#pragma once

#include <string>
#include <vector>

#include "client/checks/markdown.h"
#include "schemas/core/diagnostic.h"

namespace band::client {

// `names` are the skill's scripts. A line has one note.
void note_script_calls(const std::string& skill, const std::vector<MarkdownLine>& lines,
                       const std::vector<std::string>& names, std::vector<Diagnostic>& notes);

}  // namespace band::client
