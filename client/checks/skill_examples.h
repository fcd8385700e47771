// Checks the examples in SKILL.md: lines `band call SKILL/SCRIPT --flag value` in code blocks, each with the output
// that may follow it. Pure.
//
// An example is skipped if its input is unknown: with an expansion, a placeholder (`<NAME>`, `NAME`, `...`), an input
// from elsewhere (`--input -`), or a script name in capitals. An output that contains `...` is not checked.
#pragma once

#include <string>
#include <vector>

#include "client/checks/findings.h"
#include "client/checks/markdown.h"
#include "client/skills/skills.h"

namespace band::client {

class GivenInputs;

// `scripts`: those of the skill that were loaded, at least in part; `names`: all of them.
void check_examples(const std::string& skill, const std::vector<MarkdownLine>& lines,
                    const std::vector<LoadedScript>& scripts, const std::vector<std::string>& names,
                    GivenInputs& inputs, std::vector<Diagnostic>& errors);

}  // namespace band::client
