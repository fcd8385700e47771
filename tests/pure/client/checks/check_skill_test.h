// A skill in a temporary directory, and the output of `band validate` for it.
#pragma once

#include <map>
#include <string>

#include "client/checks/check_skill.h"
#include "tests/pure/client/client_test.h"

namespace band::test {

// Paths below the skill, and their content. "": the file is not written.
using SkillFiles = std::map<std::string, std::string>;

struct SkillCase {
  const char* about;
  SkillFiles files;
  std::string expected;
  std::string name = "s";
};

// Returns the lines of `band validate`: errors, then notes. `files` are added to a minimal skill: its SKILL.md has six
// lines, its band opens nothing, and scripts/go/run.sh writes {}.
inline std::string checked(const SkillCase& given, const std::string& shellcheck = "") {
  const TempDir dir;
  SkillFiles files{
      {"SKILL.md", "---\nname: " + given.name + "\ndescription: Does it. Use it in tests.\n---\n\n# It\n"},
      {"BAND.md", "---\nband: s\n---\n"},
      {"scripts/go/run.sh", "echo '{}' > \"$OUTPUT_PATH\"\n"},
  };
  for (const auto& [path, content] : given.files) files[path] = content;
  for (const auto& [path, content] : files)
    if (!content.empty()) dir.write(given.name + "/" + path, content);
  client::CheckedSkills found;
  client::check_skill(dir.path(given.name), {.shellcheck = shellcheck}, found);
  client::sort_findings(found);
  std::string text;
  for (const Diagnostic& error : found.errors) text += error.text() + "\n";
  for (const Diagnostic& note : found.notes) text += "note: " + note.text() + "\n";
  return text;
}

}  // namespace band::test
