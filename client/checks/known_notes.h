// Notes that the author of a skill knows: a comment `# band validate: known` on the line of the note, or alone on the
// line above it. Errors cannot be marked.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/diagnostic.h"

namespace band::client {

// Moves the marked ones from `notes` into `known`, each with its mark in the message: "... (known: REASON)".
// `directory` is the skill, whose files notes name as "SKILL/PATH".
void split_known_notes(const std::string& skill, const std::string& directory, std::vector<Diagnostic>& notes,
                       std::vector<Diagnostic>& known);

}  // namespace band::client
