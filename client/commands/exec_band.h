// The band of a `band exec`: its flags as the rules of a BAND.md.
#pragma once

#include <string>

#include "client/terminal/command_line.h"
#include "schemas/band/band.h"
#include "schemas/core/result.h"

namespace band::client {

// Returns the flags and the command as the frontmatter of a BAND.md. The command itself is allowed with exactly these
// arguments, unless it is an essential or a pattern of --cli covers it. Paths that do not begin with `/` are paths of
// the workspace; a directory means everything below it. Errors (Code::Usage): a pattern, variable or limit that is not
// valid in a band; a command that a rule cannot name.
Result<std::string> exec_band_text(const CommandLine& line);

// Composes that text with the file of --band, if it is given.
Result<ComposedBand> exec_band(const CommandLine& line, const std::string& text);

// Returns the command as bash source. A program replaces bash (exec), so that no second process waits for it.
std::string exec_source(const std::vector<std::string>& command);

}  // namespace band::client
