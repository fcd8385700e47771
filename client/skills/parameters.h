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

// Sets members of `input` from the flags in `words`: `--name value`, `--name=value`, `--flag`, `--no-flag`, and a
// repeated `--tags a --tags b`. The name of a flag is the name of a property in `schema`, either as it is written there
// or in kebab-case, camelCase or snake_case. The type of the property decides how a value is converted:
//   integer, number, boolean, null   the JSON spelling
//   string                           the text unchanged
//   array                            one item for each flag; a single value that begins with `[` is JSON text
//   object, any                      JSON text; if the type is any, a text that is not JSON is a string
//   several types                    the first type, in the schema's order, that the text fits
// The values replace members of `input`. `input` must be an object or null; null counts as {}. For each member that was
// set, `given` receives an entry: the name of the member, and the flag as it was written ("--dry-run"). Errors:
// Code::InputInvalid (a value does not have the expected type), Code::Usage (unknown flag, missing value, a flag that
// is given twice, an `input` that is neither an object nor null). `verb`: the command of band ("run"). If a flag is
// unknown, the hint ("did you mean") can also name a flag of this command.
Result<Json> apply_parameters(Json input, const Json& schema, const std::vector<std::string>& words,
                              std::map<std::string, std::string>& given, std::string_view verb = "run");

struct Script;
// Applies `words` (flags) to `input` (JSON text; nullopt counts as {}), and checks the result against the script's
// input schema. Returns the error, or nullopt if the schema accepts the result.
std::optional<Error> why_refused(const Script& script, const std::optional<std::string>& input,
                                 const std::vector<std::string>& words, std::string_view verb);
// Checks a JSON text against the script's output schema. Returns the first violation; "" if the output is valid, if
// there is no schema, or if the text is not JSON.
std::string output_misfit(const Script& script, std::string_view json);

// Converts violations to one Error (Code::InputInvalid), one line each. A member that was set by a flag is named by
// this flag (`given`, from apply_parameters()). `script`: its name, for the hint.
Error input_invalid(const std::vector<Violation>& violations, const std::map<std::string, std::string>& given,
                    const std::string& script);

}  // namespace band::client
