// Finds notes that the skill's author has marked as known. The mark is the comment `# band validate: known REASON` at
// the end of the line to which the note points, or alone on the line above. Errors cannot be marked.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/diagnostic.h"

namespace band::client {

// Moves marked notes from `notes` to `known`, and appends the REASON of the mark to the note's message: "... (known:
// REASON)". `directory` is the skill's directory; notes name a file of the skill as "SKILL/PATH".
void split_known_notes(const std::string& skill, const std::string& directory, std::vector<Diagnostic>& notes,
                       std::vector<Diagnostic>& known);

}  // namespace band::client
