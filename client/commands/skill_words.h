// Words of a command line that mean skills: by their names, or by directories.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "client/skills/skills.h"
#include "schemas/core/result.h"

namespace band::client {

// A word with / or . is a directory: a skill, or one that holds skills; any other one is a directory here that is or
// holds skills, or the name of a skill. At least one; all links are resolved but in a skill's own name.
Result<std::vector<std::filesystem::path>> skill_directories(const std::string& word,
                                                             const std::vector<std::string>& roots);

// A skill, or a script of one.
struct SkillOrScript {
  SkillPlace skill;
  std::string script;  // "": all of the skill
};
// SKILL/SCRIPT where there is such a script, else as skill_directories(), of which there must be one.
Result<SkillOrScript> skill_or_script(const std::string& word, const std::vector<std::string>& roots);

}  // namespace band::client
