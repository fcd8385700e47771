// The BAND.md of a converted script. Pure. Open is what the script cannot run without (its own interpreter, on its own
// file) and the files that a caller names; what only the script's text names is a comment, for a person to open.
#pragma once

#include <string>
#include <vector>

#include "client/convert/script.h"

namespace band::client {

// `file` of the notes is "scripts/NAME/BAND.md", with the line that was guessed.
std::string band_text(const NewScript& script, const std::string& skill, std::vector<Diagnostic>& notes);

}  // namespace band::client
