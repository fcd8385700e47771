// The BAND.md of a converted script. Pure. It opens what the script cannot run without (its interpreter with its own
// file), and the files that a caller names. Anything that only the script's text names is a comment, which a person may
// uncomment.
#pragma once

#include <string>
#include <vector>

#include "client/convert/script.h"

namespace band::client {

// Each note has the file "scripts/NAME/BAND.md" and the guessed line.
std::string band_text(const NewScript& script, const std::string& skill, std::vector<Diagnostic>& notes);

}  // namespace band::client
