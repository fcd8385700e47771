// A bundled schema taken apart for valijson's parser: one small document for each schema, none within another.
//
// valijson 1.0 parses a whole schema with a cache keyed by an unescaped path, and thereby takes one schema for another
// (`dependencies`, nested `propertyNames`, names with '/'); recurses as deep as references lead; cuts names at NUL;
// and turns integers into doubles. A document without nested schemas meets none of this: a child is written as
// {"band:schema": N}, an index into `nodes`, and keywords with operands that must stay exact as {"band:minimum": N},
// an index into `operands`.
#pragma once

#include <re2/re2.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "schemas/core/json.h"
#include "schemas/json_schema/bundle.h"

namespace band {

// The keywords that band judges itself, in the order in which they are looked at.
enum class Exact { Schema, Const, Enum, Minimum, Maximum, ExclusiveMinimum, ExclusiveMaximum, MultipleOf, Format };
struct ExactKeyword {
  Exact exact;
  const char* keyword;  // draft-07's
  const char* hidden;   // what valijson gets to see
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
  std::size_t node;
  const Json* schema;   // in the bundle
  std::string pointer;  // to it, in the bundle
};

struct SchemaNodes {
  std::vector<nlohmann::json> nodes;  // [0] is the whole; plain json, because valijson's adapter knows no other
  std::vector<Json> operands;         // an enum's is followed by itself, sorted by compare_json
  std::map<std::string, std::shared_ptr<const re2::RE2>, std::less<>> patterns;
  std::vector<SchemaDefault> defaults;
};

Result<SchemaNodes> take_apart(const Bundle& bundle);

}  // namespace band
