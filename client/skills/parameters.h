// Converts a script's parameters on the command line to JSON, by the script's input schema. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/json_fwd.h"
#include "schemas/core/result.h"
#include "schemas/json_schema/input_schema.h"

namespace band::client {

// Accepts `--name value`, `--name=value`, `--flag`, `--no-flag`, and a repeated `--tags a --tags b`. Names are
// those of the schema, also in kebab-case, camelCase or snake_case. Values are converted by the type in the schema:
//   integer, number, boolean, null   the JSON spelling
//   string                           the text unchanged
//   array                            one item for each flag; or JSON text if there is one flag that starts with `[`
//   object, any                      JSON text (any: text that is not JSON is a string)
//   several types                    the first type, in the schema's order, that the text fits
// The values replace members of `input`, which must be an object (or null, which counts as {}). `given` receives the
// flag of each member that was set, as written ("--dry-run"). Errors: Code::InputInvalid (the value does not fit),
// Code::Usage (unknown flag, missing value), each with the flag and the expected type. `verb`: the command whose own
// flags are proposed for an unknown flag.
Result<Json> apply_parameters(Json input, const Json& schema, const std::vector<std::string>& words,
                              std::map<std::string, std::string>& given, std::string_view verb = "run");

struct Script;
// Returns the error with which the script refuses this input (JSON text) and these words; nothing if it accepts them.
std::optional<Error> why_refused(const Script& script, const std::optional<std::string>& input,
                                 const std::vector<std::string>& words, std::string_view verb);
// Checks a JSON text against the script's output schema. Returns the first violation; "" if it fits or there is no
// schema.
std::string output_misfit(const Script& script, std::string_view json);

// Converts violations to one Error (Code::InputInvalid), one line each. A member that was set by a flag is shown as the
// flag.
Error input_invalid(const std::vector<Violation>& violations, const std::map<std::string, std::string>& given,
                    const std::string& script);

}  // namespace band::client
