// Splits a bundled schema for valijson's parser: one small document for each schema, without nested schemas.
//
// valijson 1.0 parses a schema with a cache keyed by an unescaped path and therefore confuses schemas (`dependencies`,
// nested `propertyNames`, names with '/'); it recurses as deep as references go, cuts names at NUL bytes, and converts
// integers to doubles. Documents without nested schemas avoid all of this: a child is written as {"band:schema": N}, an
// index into `nodes`, and a keyword with an operand that must stay exact as {"band:minimum": N}, an index into
// `operands`.
#pragma once

#include <re2/re2.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "schemas/core/json.h"
#include "schemas/json_schema/bundle.h"

namespace band {

// The keywords that band checks itself, in the order of the checks.
enum class Exact { Schema, Const, Enum, Minimum, Maximum, ExclusiveMinimum, ExclusiveMaximum, MultipleOf, Format };
struct ExactKeyword {
  Exact exact;
  const char* keyword;  // draft-07's
  const char* hidden;   // the name in valijson's documents
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
  std::string pointer;  // its pointer in the bundle
};

struct SchemaNodes {
  std::vector<nlohmann::json> nodes;  // [0] is the whole schema; nlohmann::json, as valijson's adapter requires
  std::vector<Json> operands;         // an enum's operand is followed by a copy that compare_json has sorted
  std::map<std::string, std::shared_ptr<const re2::RE2>, std::less<>> patterns;
  std::vector<SchemaDefault> defaults;
};

Result<SchemaNodes> take_apart(const Bundle& bundle);

}  // namespace band
