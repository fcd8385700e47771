// The BAND.md of a converted script. Pure. The band allows the command line that starts the interpreter with the
// script's file. It also allows the files that the caller names in the input. Programs, files and hosts that the
// script's text names, but not the input, are written as comments; a person decides which comments become rules.
#pragma once

#include <string>
#include <vector>

#include "client/convert/script.h"

namespace band::client {

// Returns the text of scripts/NAME/BAND.md. Adds a note for each guessed line; the note names "scripts/NAME/BAND.md"
// and the line.
std::string band_text(const NewScript& script, const std::string& skill, std::vector<Diagnostic>& notes);

}  // namespace band::client
