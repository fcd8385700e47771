// The band of `band exec`: converts the flags of the command line to rules of a BAND.md.
#pragma once

#include <string>

#include "client/terminal/command_line.h"
#include "schemas/core/result.h"
#include "schemas/permit/compose.h"

namespace band::client {

// Converts the flags and the command to the frontmatter of a BAND.md, and returns this text. One rule of the
// frontmatter allows the command line itself. This rule is left out if the command is an essential (a command that
// every sandbox has) or a builtin of bash, or if a pattern of --cli already allows the command line. A path that does
// not begin with `/` is a path of the workspace; if it ends with `/` or is a directory there, it stands for all files
// below it. An absolute path stands for all files below it only if it ends with `/`. Errors (Code::Usage): a pattern,
// path, variable or limit that is not valid in a band; a command that a rule cannot name.
Result<std::string> exec_band_text(const CommandLine& line);

// Composes `text`, a result of exec_band_text(), with the file of --band, if --band is given. Errors:
// Code::SkillInvalid when the file or `text` is not a valid band; Code::Usage when the file has a rule such as
// `{path}`, which stands for a file in the input of a script: `band exec` has no such input.
Result<ComposedBand> exec_band(const CommandLine& line, const std::string& text);

// Returns the source of a bash script that writes `null` as its output and runs the command. If the command is a
// program, the script calls `exec`, so that bash does not remain as a second process that waits for the program.
std::string exec_source(const std::vector<std::string>& command);

}  // namespace band::client
