// What a schema says about its properties, for flags and for help. Pure; works on InputSchema::bundled().
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/json_value.h"

namespace band::client {

// `schema` itself, or what its local `$ref` chain leads to (with the sibling `description`/`default` of the reference,
// which draft-07 ignores but people write). A reference that leads nowhere gives an empty object.
Json follow_refs(const Json& root, const Json& schema);

// Types that a value may have, in the order of the schema, through anyOf, oneOf, allOf, enum and const. Empty: any.
std::vector<std::string> types_of(const Json& root, const Json& schema);

struct Parameter {
  std::string name;
  JsonValue schema;  // references followed
  std::vector<std::string> types;
  bool required = false;

  bool takes(std::string_view type) const;
};

// The properties of an object schema, through `$ref` and `allOf`, in the order in which they are written.
std::vector<Parameter> parameters_of(const Json& root);

// What a value can be written as on the command line, as far as the schema lists it: `enum`, `const`, true and false;
// of a list those of its items. At most kMaxChoices; empty when other values are right, too, or nothing is listed.
inline constexpr std::size_t kMaxChoices = 200;
std::vector<std::string> choices_of(const Json& root, const Parameter& parameter);

std::string description_of(const Parameter& parameter);  // empty when it has none

std::string kebab_case(std::string_view name);                         // "dryRun" -> "dry-run"
std::string type_label(const Json& root, const Parameter& parameter);  // "integer", "string, repeatable"

}  // namespace band::client
