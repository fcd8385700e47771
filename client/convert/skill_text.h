// SKILL.md of a converted skill: the original text with an additional section about band. Pure.
#pragma once

#include <string>
#include <vector>

#include "client/convert/script.h"

namespace band::client {

// Keeps the frontmatter, but sets `name` to `skill`, and `allowed-tools` to `band call` of this skill. The rest of the
// text is not changed: for each place in it that a person has to change, adds a note with the position in `file`.
std::string skill_text(const std::string& text, const std::string& file, const std::string& skill,
                       const std::vector<NewScript>& scripts, std::vector<Diagnostic>& notes);

// Adds a note for each place in a Markdown text that names a script by its path.
void note_references(const std::string& text, const std::string& file, const std::string& skill,
                     const std::vector<NewScript>& scripts, std::vector<Diagnostic>& notes);

}  // namespace band::client
