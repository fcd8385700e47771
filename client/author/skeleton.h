// The files of a new skill and of a new script (`band new`). The new script works without changes. The texts of the
// files are in client/author/skeleton/. Pure.
#pragma once

#include <string>
#include <vector>

namespace band::client {

struct NewFile {
  std::string path;  // relative to the skill's directory
  std::string content;
};

// Returns run.sh, the schemas of input and output, and tests/SCRIPT.yaml. `skill` and `script` must be valid names
// (is_script_name()); they are not checked.
std::vector<NewFile> new_script_files(const std::string& skill, const std::string& script);
// Returns scripts/SCRIPT/BAND.md, which allows nothing. With this file, the skill's BAND.md does not apply to the new
// script. Use it when the skill's BAND.md already allows something.
NewFile own_band_file(const std::string& skill, const std::string& script);
// Returns SKILL.md, BAND.md and new_script_files().
std::vector<NewFile> new_skill_files(const std::string& skill, const std::string& script);

// Returns the lines of the comment in a new BAND.md. The comment states that nothing is allowed yet.
std::vector<std::string> new_band_comment();

// Returns what is wrong with the name of a new skill, as the end of a sentence; "" for a valid name. Applies the rules
// for names in the specification of Agent Skills (https://agentskills.io/specification, "name field"). These rules are
// stricter than the rules of band, and agents refuse other names.
std::string why_not_a_skill_name(const std::string& name);
inline constexpr const char* kSkillNameRule =
    "use 1 to 64 characters: a to z, 0 to 9, and single - between them; agents accept only such names (SKILL.md, "
    "`name`)";

}  // namespace band::client
