// A script described: its parameters as text, and all that `band list` and `band show` say of it as JSON. Pure.
#pragma once

#include <optional>
#include <string>

#include "client/skills/configuration.h"
#include "client/skills/skills.h"
#include "schemas/core/json_fwd.h"

namespace band::client {

// Of a schema's text, printable: shown to people, whoever wrote it.
std::string first_paragraph(const std::string& text);

// The parameters in help, each with its flag, type, description, default and bounds; "" when the script takes none.
// `verb` is the command that takes them: where band has a flag of the same name, a note says so.
std::string parameters_help(const Script& script, const std::string& verb);

// " --name <string>" for each parameter that a call has to name, as it stands in a usage line.
std::string required_flags(const Script& script);

// A line for each: "  --name <string>  (required)  whom to greet"; "" when the script takes none.
std::string parameters_in_short(const Script& script, const std::string& indent);
// The same of the output: "  greeting: string  ..."; "" without an output schema.
std::string output_in_short(const Script& script, const std::string& indent);

// JSON text. Parameters: a list of {"name", "flag", "type", "required"} with "default" and "description" where the
// schema has them.
std::string parameters_to_json(const Script& script);

struct Shown {
  const Script& script;
  std::optional<Configuration> configuration;  // absent: the user's file is wrong, and `wrong` says how
  std::string wrong;
};
// What `band show SKILL/SCRIPT --json` prints, as JSON text.
std::string script_to_json(const Shown& shown);

}  // namespace band::client
