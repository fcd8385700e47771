// A script's parameters: words of the command line become JSON by the script's input schema. Pure.
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

// `--name value`, `--name=value`, `--flag`, `--no-flag`, a repeated `--tags a --tags b`. Names are the schema's, or the
// same in kebab-case, camelCase or snake_case. Converted by the type that the schema gives:
//   integer, number, boolean, null   the JSON spelling
//   string                           the text as it is
//   array                            one item a flag; or the whole as JSON when there is one flag that starts with `[`
//   object, any                      JSON text (any: text that is no JSON is a string)
//   several types                    the first of them, in the schema's order, that the text fits
// The values replace members of `input`, which must be an object (or null: then it begins as {}).
// `given` gets, for each member that a flag set, the flag as written ("--dry-run"). Errors: Code::InputInvalid (the
// value does not fit), Code::Usage (no such flag, a missing value), each naming the flag and what was expected; of
// band's own flags those of `verb` are offered.
Result<Json> apply_parameters(Json input, const Json& schema, const std::vector<std::string>& words,
                              std::map<std::string, std::string>& given, std::string_view verb = "run");

struct Script;
// Why the script refuses a call with this input (JSON text) and these words of its own; nothing when it takes it.
std::optional<Error> why_refused(const Script& script, const std::optional<std::string>& input,
                                 const std::vector<std::string>& words, std::string_view verb);
// What the script's output schema says of a JSON text: the first violation; "" when it fits, or there is no schema.
std::string output_misfit(const Script& script, std::string_view json);

// Violations as one Error (Code::InputInvalid): a line each, with the flag in place of the pointer where a flag set it.
Error input_invalid(const std::vector<Violation>& violations, const std::map<std::string, std::string>& given,
                    const std::string& script);

}  // namespace band::client
