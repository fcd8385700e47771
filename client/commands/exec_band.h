// The band of `band exec`: converts the flags of the command line to rules of a BAND.md.
#pragma once

#include <string>

#include "client/terminal/command_line.h"
#include "schemas/band/band.h"
#include "schemas/core/result.h"

namespace band::client {

// Converts the flags and the command to the frontmatter of a BAND.md, and returns this text. One rule of the
// frontmatter allows the command line itself. The frontmatter has no such rule if the command is an essential, or if a
// pattern of --cli already allows the command line. A path that does not begin with `/` is a path of the workspace. A
// directory stands for all files below it. Errors (Code::Usage): a pattern, variable or limit that is not valid in a
// band; a command that a rule cannot name.
Result<std::string> exec_band_text(const CommandLine& line);

// Composes `text`, a result of exec_band_text(), with the file of --band, if --band is given.
Result<ComposedBand> exec_band(const CommandLine& line, const std::string& text);

// Returns the command as the source of a bash script. If the command is a program, the script calls `exec`, so that
// bash does not remain as a second process that waits for the program.
std::string exec_source(const std::vector<std::string>& command);

}  // namespace band::client
