// SKILL.md of a converted skill: the text that was there, with a section about band. Pure.
#pragma once

#include <string>
#include <vector>

#include "client/convert/script.h"

namespace band::client {

// The frontmatter is kept; `name` becomes `skill` where it differs, and `allowed-tools` is added where it is missing.
// What else has to change in it is a note with its place in `file`.
std::string skill_text(const std::string& text, const std::string& file, const std::string& skill,
                       const std::vector<NewScript>& scripts, std::vector<Diagnostic>& notes);

// A note for each place of a Markdown text that names a script by its path.
void note_references(const std::string& text, const std::string& file, const std::string& skill,
                     const std::vector<NewScript>& scripts, std::vector<Diagnostic>& notes);

}  // namespace band::client
