// The files of a new skill, and of a new script of one: working ones, from the texts in client/author/skeleton/. Pure.
#pragma once

#include <string>
#include <vector>

namespace band::client {

struct NewFile {
  std::string path;  // relative to the skill's directory
  std::string content;
};

// run.sh, the two schemas and tests/SCRIPT.yaml. The names are those of a skill and of a script (is_script_name()).
std::vector<NewFile> new_script_files(const std::string& skill, const std::string& script);
// scripts/SCRIPT/BAND.md, which opens nothing: for a script of a skill whose BAND.md opens something already.
NewFile own_band_file(const std::string& skill, const std::string& script);
// The same as new_script_files() with SKILL.md and BAND.md.
std::vector<NewFile> new_skill_files(const std::string& skill, const std::string& script);

// The comment in the frontmatter of a new BAND.md, which says that nothing is open yet: its rows.
std::vector<std::string> new_band_comment();

// What is wrong with the name of a new skill, as the end of a sentence; "" when nothing is. Agents want more of a
// skill's name than band does: https://agentskills.io/specification, "name field".
std::string why_not_a_skill_name(const std::string& name);
inline constexpr const char* kSkillNameRule =
    "1 to 64 of a to z, 0 to 9 and single - between them: agents take no other name (SKILL.md, `name`)";

}  // namespace band::client
