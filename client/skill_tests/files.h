// The tests/ of a skill on disk. A skill may come from anywhere: no link is followed, and sizes and numbers are
// bounded.
#pragma once

#include <string>
#include <vector>

#include "client/skill_tests/skill_case.h"
#include "client/skills/skills.h"
#include "schemas/core/diagnostic.h"

namespace band::client {

struct SkillTests {
  std::vector<std::string> files;  // tests/*.yaml, as they are shown: "skills/hello/tests/greet.yaml"
  std::vector<SkillCase> cases;    // of all of them, in their order; none when there are errors
  std::vector<Diagnostic> errors, notes;
};

// The directories that cases name as their workspace are read, too. `shown` is the skill's directory in messages.
SkillTests load_tests(const SkillPlace& skill, const std::string& shown);

}  // namespace band::client
