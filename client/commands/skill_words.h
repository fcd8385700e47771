// Finds the skills that an argument of a command selects, by name or by directory.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "client/skills/skills.h"
#include "schemas/core/result.h"

namespace band::client {

// If `word` contains / or ., it is the path of a skill, or of a directory that contains skills. For any other word, the
// directory of this name in the current directory is used, if it is a skill or contains skills; else the skill of this
// name in `roots`. Returns at least one path. Links are resolved, except in the last segment, which is the skill's
// name.
Result<std::vector<std::filesystem::path>> skill_directories(const std::string& word,
                                                             const std::vector<std::string>& roots);

// A skill, or a script of one.
struct SkillOrScript {
  SkillPlace skill;
  std::string script;  // "": the whole skill
};
// Returns the script if `word` is SKILL/SCRIPT and this script exists; else the skill that skill_directories() returns.
// Error: skill_directories() returns several skills.
Result<SkillOrScript> skill_or_script(const std::string& word, const std::vector<std::string>& roots);

}  // namespace band::client
