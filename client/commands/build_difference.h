// Reports that the server of a target and this band were built from different sources.
#pragma once

#include <string>

#include "client/targets/targets.h"
#include "client/terminal/terminal.h"
#include "schemas/wire/features.h"

namespace band::client {

// Returns the digest of the sources of the server that this installation of band would set up; "" if the file with the
// digest is not installed.
std::string own_source();

// Returns the difference and its remedy as one line; "" if the server is of the same build. `own`: own_source().
std::string build_difference(const Target& target, const ServerBuild& server, const std::string& own);

// Prints build_difference() as a note, unless a note about the same two digests was printed before. The file
// ~/.band/build-differences has the pairs of digests that notes were printed about. If the file cannot be written, each
// call prints the note. Does nothing if the terminal is quiet. Reads and writes the file only if there is a difference.
void note_build_difference(const Target& target, const ServerBuild& server, Terminal& terminal);

}  // namespace band::client
