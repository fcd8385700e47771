// Checks the examples in SKILL.md: lines `band call SKILL/SCRIPT --flag value` or `band run ...` in code blocks, and
// the output that may follow such a line. Pure.
//
// An example is not checked if its input is unknown. This is the case if the example has an expansion of the shell, a
// placeholder (`<NAME>`, `NAME`, `...`), a script name in capitals, or an input from another source (`--input -`). An
// output that contains `...` is not checked.
#pragma once

#include <string>
#include <vector>

#include "client/checks/findings.h"
#include "client/checks/markdown.h"
#include "client/skills/skills.h"

namespace band::client {

class GivenInputs;

// `scripts`: the scripts of the skill that were loaded, at least in part. `names`: the names of all its scripts.
// `inputs` checks the inputs of the examples (given_input.h). Errors are added to `errors`.
void check_examples(const std::string& skill, const std::vector<MarkdownLine>& lines,
                    const std::vector<LoadedScript>& scripts, const std::vector<std::string>& names,
                    GivenInputs& inputs, std::vector<Diagnostic>& errors);

}  // namespace band::client
