// Arguments that select skills, by name or by directory.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "client/skills/skills.h"
#include "schemas/core/result.h"

namespace band::client {

// A word with / or . is a directory: a skill, or a directory that contains skills. Another word is such a directory in
// the current directory, or the name of a skill. Returns at least one path; links are resolved except in the last part,
// which is the skill's name.
Result<std::vector<std::filesystem::path>> skill_directories(const std::string& word,
                                                             const std::vector<std::string>& roots);

// A skill, or a script of one.
struct SkillOrScript {
  SkillPlace skill;
  std::string script;  // "": the whole skill
};
// Returns SKILL/SCRIPT if this script exists, else the only result of skill_directories(). Several are an error.
Result<SkillOrScript> skill_or_script(const std::string& word, const std::vector<std::string>& roots);

}  // namespace band::client
