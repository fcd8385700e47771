// Finds the skills that an argument of a command selects, by name or by directory.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "client/skills/skills.h"
#include "schemas/core/result.h"

namespace band::client {

// Returns the directories of the skills that `word` selects, at least one. If `word` contains `/` or `.`, it is the
// path of a skill, or of a directory that contains skills. Any other word is the name of a directory in the current
// directory that is a skill or contains skills. If there is no such directory, the word is the name of a skill in
// `roots`. Links are resolved, except in the last segment, which is the skill's name. Errors: Code::Usage when there is
// no such skill or directory, Code::SkillInvalid when the directory contains no skill.
Result<std::vector<std::filesystem::path>> skill_directories(const std::string& word,
                                                             const std::vector<std::string>& roots);

// A skill, or a script of one.
struct SkillOrScript {
  SkillPlace skill;
  std::string script;  // "": the whole skill
};
// Returns a script if `word` is SKILL/SCRIPT and this script exists in `roots`. Otherwise returns the skill that
// skill_directories() returns for `word`. Errors: those of find_script() (client/skills/skills.h) and of
// skill_directories(); Code::Usage when skill_directories() returns several skills.
Result<SkillOrScript> skill_or_script(const std::string& word, const std::vector<std::string>& roots);

}  // namespace band::client
