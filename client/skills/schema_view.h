// The properties in a schema, for flags and help. Pure; works on InputSchema::bundled().
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/json_value.h"

namespace band::client {

// Returns `schema`, or the target of its chain of local `$ref`s, with the `description`/`default` next to a reference,
// which draft-07 ignores but authors write. Returns an empty object for a dangling reference.
Json follow_refs(const Json& root, const Json& schema);

// Returns the types that a value may have, in the schema's order, through anyOf, oneOf, allOf, enum and const. Empty:
// any.
std::vector<std::string> types_of(const Json& root, const Json& schema);

struct Parameter {
  std::string name;
  JsonValue schema;  // references followed
  std::vector<std::string> types;
  bool required = false;

  bool takes(std::string_view type) const;
};

// Returns the properties of an object schema, through `$ref` and `allOf`, in the order of the text.
std::vector<Parameter> parameters_of(const Json& root);

// Returns the values that the schema lists, in the form of the command line: `enum`, `const`, true and false; for a
// list, those of its items. At most kMaxChoices; empty if other values are also valid, or none is listed.
inline constexpr std::size_t kMaxChoices = 200;
std::vector<std::string> choices_of(const Json& root, const Parameter& parameter);

std::string description_of(const Parameter& parameter);  // empty if there is none

std::string kebab_case(std::string_view name);                         // "dryRun" -> "dry-run"
std::string type_label(const Json& root, const Parameter& parameter);  // "integer", "string, repeatable"

}  // namespace band::client
