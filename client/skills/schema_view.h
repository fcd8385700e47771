// The properties in a JSON schema, for flags and help. Pure. `root` is a whole schema: InputSchema::bundled(), in which
// each `$ref` refers to a part of the same document.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/json_value.h"

namespace band::client {

// Returns `schema`; if `schema` is a local `$ref`, the schema at the end of the chain of references. A `description` or
// `default` next to a reference is kept: draft-07 ignores these keys, but authors write them. For a dangling reference,
// returns an object with only these keys.
Json follow_refs(const Json& root, const Json& schema);

// Returns the types that a value may have, in the schema's order; also finds types in anyOf, oneOf, allOf, enum and
// const. Returns an empty list when any type is valid.
std::vector<std::string> types_of(const Json& root, const Json& schema);

struct Parameter {
  std::string name;
  JsonValue schema;  // after follow_refs()
  std::vector<std::string> types;
  bool required = false;

  bool takes(std::string_view type) const;  // `type` is in `types`
};

// Returns the properties of an object schema in the order of the schema's text. Includes the properties of schemas to
// which `$ref` and `allOf` in this schema refer.
std::vector<Parameter> parameters_of(const Json& root);

// Returns the valid values of a parameter that the schema lists (`enum`, `const`, or true and false), as they are
// written on the command line; for an array, those of an item. Returns at most kMaxChoices. Other values can be valid,
// too, if a branch of anyOf or oneOf lists no values. Returns an empty list if the schema lists no values.
inline constexpr std::size_t kMaxChoices = 200;
std::vector<std::string> choices_of(const Json& root, const Parameter& parameter);

std::string description_of(const Parameter& parameter);  // empty if there is none

std::string kebab_case(std::string_view name);                         // "dryRun" -> "dry-run"
std::string type_label(const Json& root, const Parameter& parameter);  // "integer", "string, repeatable"

}  // namespace band::client
