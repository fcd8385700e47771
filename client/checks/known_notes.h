// Notes that the skill's author has marked as known: a comment `# band validate: known` on the line of the note, or
// alone on the line above it. Errors cannot be marked.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/diagnostic.h"

namespace band::client {

// Moves marked notes from `notes` to `known` and appends the reason to the message: "... (known: REASON)". `directory`
// contains the skill; notes name its files as "SKILL/PATH".
void split_known_notes(const std::string& skill, const std::string& directory, std::vector<Diagnostic>& notes,
                       std::vector<Diagnostic>& known);

}  // namespace band::client
