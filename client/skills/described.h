// Descriptions of a script: its parameters as text, and the JSON of `band list` and `band show`. Pure.
#pragma once

#include <optional>
#include <string>

#include "client/skills/configuration.h"
#include "client/skills/skills.h"
#include "schemas/core/json_fwd.h"

namespace band::client {

// Returns the first paragraph of a text, without characters that could control a terminal (they are escaped), because
// texts in schemas are untrusted.
std::string first_paragraph(const std::string& text);

// Returns the parameters for a help text, each with its flag, type, description, default and bounds; "" without
// parameters. `verb` is the command that accepts the parameters. If this command has a flag with the name of a
// parameter, the parameter can be set only with --input; the parameter's text then has a note about this.
std::string parameters_help(const Script& script, const std::string& verb);

// Returns " --name <string>" for each required parameter without a default, for a usage line.
std::string required_flags(const Script& script);

// Returns one line for each parameter: "  --name <string>  (required)  whom to greet"; "" without parameters.
std::string parameters_in_short(const Script& script, const std::string& indent);
// Returns one line for each property of the output: "  greeting: string  ..."; "" without an output schema.
std::string output_in_short(const Script& script, const std::string& indent);

// Returns JSON text: a list of {"name", "flag", "type", "required"}, and, if the schema has them, "default" and
// "description".
std::string parameters_to_json(const Script& script);

struct Shown {
  const Script& script;
  std::optional<Configuration> configuration;  // absent: the user's configuration file is invalid
  std::string wrong;                           // why that file is invalid; "" if it is valid
};
// Returns the output of `band show SKILL/SCRIPT --json`.
std::string script_to_json(const Shown& shown);

}  // namespace band::client
