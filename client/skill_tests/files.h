// Reads tests/ of a skill from disk. A skill is untrusted: links are not followed, and the number and size of files are
// limited.
#pragma once

#include <string>
#include <vector>

#include "client/skill_tests/skill_case.h"
#include "client/skills/skills.h"
#include "schemas/core/diagnostic.h"

namespace band::client {

struct SkillTests {
  std::vector<std::string> files;         // tests/*.yaml, as messages show them: "skills/hello/tests/greet.yaml"
  std::vector<SkillCase> cases;           // cases of all files, in the order of `files`; empty if there are errors
  std::vector<Diagnostic> errors, notes;  // notes: files *.yml, which are not read
};

// Returns the test cases of the skill; none if the skill has no tests/. Also reads the directories of files that cases
// name in `workspace`. `shown`: the name of the skill's directory in messages.
SkillTests load_tests(const SkillPlace& skill, const std::string& shown);

}  // namespace band::client
