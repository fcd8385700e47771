// The keywords of JSON Schema draft-07. For each keyword: the form of its value, and whether the value contains
// schemas. Code that walks through a schema needs these data to find the schemas within the schema: in
// `{"properties": {"$ref": {}}}`, `$ref` is the name of a property and not a reference; in
// `{"enum": [{"pattern": "("}]}`, `pattern` is part of a value.
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
  Meta,       // $schema and $id, which check_schema_form() checks separately
  Reference,  // $ref
  Count,      // a whole number from 0
  Number,
  PositiveNumber,
  Pattern,
  Names,   // an array of distinct strings
  Values,  // a non-empty array
  Types,   // the name of a type, or an array of such names
  Schema,
  SchemaMap,
  PatternMap,    // as SchemaMap, with regular expressions as keys
  SchemaList,    // a non-empty array of schemas
  SchemaOrList,  // a schema or a SchemaList: `items`
  Dependencies,  // an object whose values are schemas or Names
};

// The value to which a schema within a schema applies. Here: the value to which the outer schema applies (`allOf`).
// Deeper: a part of that value (`properties`). Nowhere: none (`definitions`).
enum class Applies { Here, Deeper, Nowhere };

struct Keyword {
  std::string_view name;
  Form form;
  Applies applies = Applies::Nowhere;
};

const Keyword* find_keyword(std::string_view name);  // nullptr if draft-07 has no keyword `name`
std::vector<std::string> keyword_names();

// Calls `visit` for each schema directly within `schema`. `pointer` is relative to `schema`: "/properties/a".
using SubschemaVisit = std::function<void(const Keyword&, const std::string& pointer, const Json& subschema)>;
void for_each_subschema(const Json& schema, const SubschemaVisit& visit);
// As above, for a `visit` that changes the schemas.
using MutableSubschemaVisit = std::function<void(const Keyword&, const std::string& pointer, Json& subschema)>;
void for_each_subschema(Json& schema, const MutableSubschemaVisit& visit);

inline constexpr int kMaxSchemaNesting = 64;  // levels of schemas within schemas

// Checks that `schema` is a valid schema of draft-07 that band supports. `where` is "file#/pointer", for messages.
// `is_document`: the schema is a whole file and can therefore have `$id`.
Status check_schema_form(const Json& schema, const std::string& where, bool is_document);

// Returns Code::SkillInvalid with the message "schema WHERE: PROBLEM".
Error schema_error(const std::string& where, std::string problem, std::string hint = "");

}  // namespace band
