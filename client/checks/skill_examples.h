// The examples in SKILL.md: lines `band call SKILL/SCRIPT --flag value` in blocks of code, each with the output that
// may stand below it. Pure.
//
// An example is left out when it cannot be known what it means: with an expansion, a placeholder (`<NAME>`, `NAME`,
// `...`), an input from elsewhere (`--input -`), or a script's name in capitals. Of an output with `...` in it nothing
// is checked.
#pragma once

#include <string>
#include <vector>

#include "client/checks/findings.h"
#include "client/checks/markdown.h"
#include "client/skills/skills.h"

namespace band::client {

class GivenInputs;

// `scripts` are those of the skill that could be loaded, at least in part, `names` the names of all.
void check_examples(const std::string& skill, const std::vector<MarkdownLine>& lines,
                    const std::vector<LoadedScript>& scripts, const std::vector<std::string>& names,
                    GivenInputs& inputs, std::vector<Diagnostic>& errors);

}  // namespace band::client
