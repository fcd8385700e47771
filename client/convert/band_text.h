// The BAND.md of a converted script. Pure.
//
// The band allows the command line that starts the interpreter with the script's file; bash and sh need no rule. It
// also allows the files that the caller names in the input. Programs, hosts, variables and files that the script's text
// names are written as comments; a person decides which comments become rules.
#pragma once

#include <string>
#include <vector>

#include "client/convert/script.h"

namespace band::client {

// Returns the text of scripts/NAME/BAND.md. `skill`: the name of the new skill. Adds a note for each line that is
// guessed or is a comment; the note names "scripts/NAME/BAND.md" and the line.
std::string band_text(const NewScript& script, const std::string& skill, std::vector<Diagnostic>& notes);

}  // namespace band::client
