// Splits a bundled schema (bundle.h) into *nodes*, the input of valijson's parser: one small JSON document for each
// schema, without the schemas within this schema.
//
// The reason is four errors of valijson 1.0. Its parser has a cache whose keys are unescaped paths, and therefore
// confuses schemas (`dependencies`, nested `propertyNames`, names with '/'); it recurses as deep as references go; it
// cuts names at NUL bytes; and it converts integers to doubles. Nodes avoid these errors. A schema within a schema is
// written as {"band:schema": N}, where N is the index of the inner schema in `nodes`. A keyword whose operand must stay
// exact, such as a large integer, is replaced by a *hidden* keyword, which valijson does not interpret: {"minimum": X}
// becomes {"band:minimum": N}, where N is the index of X in `operands`.
#pragma once

#include <re2/re2.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "schemas/core/json.h"
#include "schemas/json_schema/bundle.h"

namespace band {

// The keywords that are hidden from valijson and checked by band, in the order of the checks.
enum class Exact { Schema, Const, Enum, Minimum, Maximum, ExclusiveMinimum, ExclusiveMaximum, MultipleOf, Format };
struct ExactKeyword {
  Exact exact;
  const char* keyword;  // the name in draft-07
  const char* hidden;   // the name in a node
};
inline constexpr ExactKeyword kExactKeywords[] = {
    {Exact::Schema, "$ref", "band:schema"},
    {Exact::Const, "const", "band:const"},
    {Exact::Enum, "enum", "band:enum"},
    {Exact::Minimum, "minimum", "band:minimum"},
    {Exact::Maximum, "maximum", "band:maximum"},
    {Exact::ExclusiveMinimum, "exclusiveMinimum", "band:exclusiveMinimum"},
    {Exact::ExclusiveMaximum, "exclusiveMaximum", "band:exclusiveMaximum"},
    {Exact::MultipleOf, "multipleOf", "band:multipleOf"},
    {Exact::Format, "format", "band:format"},
};

// A schema that has a `default`.
struct SchemaDefault {
  std::size_t node;     // index in SchemaNodes::nodes
  const Json* schema;   // the schema in the bundle
  std::string pointer;  // the pointer of the schema in the bundle
};

struct SchemaNodes {
  std::vector<nlohmann::json> nodes;  // nodes[0] is the whole schema; valijson's adapter requires nlohmann::json
  std::vector<Json> operands;         // the operand of `enum` is followed by a copy, sorted by compare_json()
  std::map<std::string, std::shared_ptr<const re2::RE2>, std::less<>> patterns;  // regular expression -> compiled
  std::vector<SchemaDefault> defaults;
};

Result<SchemaNodes> take_apart(const Bundle& bundle);  // the result points into `bundle`, which must outlive it

}  // namespace band
