// The keywords of JSON Schema draft-07: what form each one's value has, and where the schemas within a schema are.
// A walk must know that: `{"properties": {"$ref": {}}}` has no reference, and `{"enum": [{"pattern": "("}]}` no
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
  Meta,       // $schema, $id: checked apart
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
  PatternMap,    // as SchemaMap, its keys are patterns
  SchemaList,    // a non-empty array of schemas
  SchemaOrList,  // items
  Dependencies,  // an object of schemas or Names
};

// Which value a schema within a schema is about.
enum class Applies { Here, Deeper, Nowhere };  // the same value; a part of it; none (definitions)

struct Keyword {
  std::string_view name;
  Form form;
  Applies applies = Applies::Nowhere;
};

const Keyword* find_keyword(std::string_view name);  // nullptr: draft-07 ignores it
std::vector<std::string> keyword_names();

// Calls `visit` for each schema directly within `schema`, with the pointer from `schema` to it ("/properties/a").
using SubschemaVisit = std::function<void(const Keyword&, const std::string& pointer, const Json& subschema)>;
void for_each_subschema(const Json& schema, const SubschemaVisit& visit);
// The same for changing them.
using MutableSubschemaVisit = std::function<void(const Keyword&, const std::string& pointer, Json& subschema)>;
void for_each_subschema(Json& schema, const MutableSubschemaVisit& visit);

inline constexpr int kMaxSchemaNesting = 64;  // schemas within schemas

// Is `schema` draft-07 in form, and may band's engine take it? `where` is "file#/pointer" for messages.
Status check_schema_form(const Json& schema, const std::string& where, bool is_document);

Error schema_error(const std::string& where, std::string problem, std::string hint = "");

}  // namespace band
