// The keywords of JSON Schema draft-07: the form of each keyword's value, and the places of schemas within a schema.
// Traversals need them: `{"properties": {"$ref": {}}}` has no reference, and `{"enum": [{"pattern": "("}]}` has no
// pattern.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/json_fwd.h"
#include "schemas/core/result.h"

namespace band {

enum class Form {
  Any,
  Text,
  Flag,
  List,
  Meta,       // $schema, $id: checked separately
  Reference,  // $ref
  Count,      // a whole number from 0
  Number,
  PositiveNumber,
  Pattern,
  Names,   // an array of distinct strings
  Values,  // a non-empty array
  Types,   // a type's name, or an array of them
  Schema,
  SchemaMap,
  PatternMap,    // as SchemaMap; its keys are patterns
  SchemaList,    // a non-empty array of schemas
  SchemaOrList,  // items
  Dependencies,  // an object of schemas or Names
};

// The value to which a schema within a schema applies.
enum class Applies { Here, Deeper, Nowhere };  // the same value; a part of it; none (definitions)

struct Keyword {
  std::string_view name;
  Form form;
  Applies applies = Applies::Nowhere;
};

const Keyword* find_keyword(std::string_view name);  // nullptr: draft-07 ignores it
std::vector<std::string> keyword_names();

// Calls `visit` for each schema directly within `schema`, with its pointer relative to `schema` ("/properties/a").
using SubschemaVisit = std::function<void(const Keyword&, const std::string& pointer, const Json& subschema)>;
void for_each_subschema(const Json& schema, const SubschemaVisit& visit);
// The same for schemas that `visit` changes.
using MutableSubschemaVisit = std::function<void(const Keyword&, const std::string& pointer, Json& subschema)>;
void for_each_subschema(Json& schema, const MutableSubschemaVisit& visit);

inline constexpr int kMaxSchemaNesting = 64;  // schemas within schemas

// Checks that `schema` has the form of draft-07 and is supported by band. `where` is "file#/pointer", for messages.
Status check_schema_form(const Json& schema, const std::string& where, bool is_document);

Error schema_error(const std::string& where, std::string problem, std::string hint = "");

}  // namespace band
