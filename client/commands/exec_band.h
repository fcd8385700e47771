// The band of a `band exec`: rules from flags, as a BAND.md has them.
#pragma once

#include <string>

#include "client/terminal/command_line.h"
#include "schemas/band/band.h"
#include "schemas/core/result.h"

namespace band::client {

// The frontmatter that the flags and the command come to: what would be written into a BAND.md. The command itself is
// allowed with exactly these arguments, unless it is an essential or a pattern of --cli covers it. Paths that do not
// begin with `/` are of the workspace; one that is a directory there stands for all that is below it. Errors
// (Code::Usage): a flag's pattern, variable or limit that a band cannot have; a command that cannot be named in a rule.
Result<std::string> exec_band_text(const CommandLine& line);

// That text and, if there is one, the file of --band, composed.
Result<ComposedBand> exec_band(const CommandLine& line, const std::string& text);

// bash's words for the command, which takes bash's place if it is a program: no second process waits beside it.
std::string exec_source(const std::vector<std::string>& command);

}  // namespace band::client
