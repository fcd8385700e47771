// SKILL.md of a converted skill: the original text with an additional section about band. Pure.
#pragma once

#include <string>
#include <vector>

#include "client/convert/script.h"

namespace band::client {

// Returns the new text. Keeps the frontmatter, but sets `name` to `skill`, and `allowed-tools` to `band call` of this
// skill. If the frontmatter is missing, writes one; if it cannot be parsed, does not change it. Inserts the section
// before the first heading `## ...`, or at the end. The rest of the text is not changed. Adds a note for each change of
// the frontmatter that a person has to check; `file` is the file's name in notes.
std::string skill_text(const std::string& text, const std::string& file, const std::string& skill,
                       const std::vector<NewScript>& scripts, std::vector<Diagnostic>& notes);

// Adds a note for each place in a Markdown text that names a script by its path below scripts/, because a person has to
// change such a place.
void note_references(const std::string& text, const std::string& file, const std::string& skill,
                     const std::vector<NewScript>& scripts, std::vector<Diagnostic>& notes);

}  // namespace band::client
