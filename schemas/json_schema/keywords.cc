#include "schemas/json_schema/keywords.h"

#include <algorithm>
#include <array>
#include <set>

#include "schemas/core/json.h"
#include "schemas/core/json_compare.h"
#include "schemas/core/json_number.h"
#include "schemas/core/json_pointer.h"
#include "schemas/core/json_text.h"
#include "schemas/json_schema/regular_expression.h"

namespace band {
namespace {

constexpr std::array kKeywords{
    Keyword{"$schema", Form::Meta},
    Keyword{"$id", Form::Meta},
    Keyword{"$ref", Form::Reference},
    Keyword{"$comment", Form::Text},
    Keyword{"title", Form::Text},
    Keyword{"description", Form::Text},
    Keyword{"default", Form::Any},
    Keyword{"examples", Form::List},
    Keyword{"readOnly", Form::Flag},
    Keyword{"writeOnly", Form::Flag},
    Keyword{"contentMediaType", Form::Text},
    Keyword{"contentEncoding", Form::Text},
    Keyword{"type", Form::Types},
    Keyword{"const", Form::Any},
    Keyword{"enum", Form::Values},
    Keyword{"format", Form::Text},
    Keyword{"multipleOf", Form::PositiveNumber},
    Keyword{"maximum", Form::Number},
    Keyword{"exclusiveMaximum", Form::Number},
    Keyword{"minimum", Form::Number},
    Keyword{"exclusiveMinimum", Form::Number},
    Keyword{"maxLength", Form::Count},
    Keyword{"minLength", Form::Count},
    Keyword{"pattern", Form::Pattern},
    Keyword{"items", Form::SchemaOrList, Applies::Deeper},
    Keyword{"additionalItems", Form::Schema, Applies::Deeper},
    Keyword{"maxItems", Form::Count},
    Keyword{"minItems", Form::Count},
    Keyword{"uniqueItems", Form::Flag},
    Keyword{"contains", Form::Schema, Applies::Deeper},
    Keyword{"maxProperties", Form::Count},
    Keyword{"minProperties", Form::Count},
    Keyword{"required", Form::Names},
    Keyword{"properties", Form::SchemaMap, Applies::Deeper},
    Keyword{"patternProperties", Form::PatternMap, Applies::Deeper},
    Keyword{"additionalProperties", Form::Schema, Applies::Deeper},
    Keyword{"propertyNames", Form::Schema, Applies::Deeper},
    Keyword{"dependencies", Form::Dependencies, Applies::Here},
    Keyword{"if", Form::Schema, Applies::Here},
    Keyword{"then", Form::Schema, Applies::Here},
    Keyword{"else", Form::Schema, Applies::Here},
    Keyword{"allOf", Form::SchemaList, Applies::Here},
    Keyword{"anyOf", Form::SchemaList, Applies::Here},
    Keyword{"oneOf", Form::SchemaList, Applies::Here},
    Keyword{"not", Form::Schema, Applies::Here},
    Keyword{"definitions", Form::SchemaMap, Applies::Nowhere},
    Keyword{"$defs", Form::SchemaMap, Applies::Nowhere},
};

// Keywords of other drafts. draft-07 would ignore them silently, and the schema would check less than its author
// expects.
struct Foreign {
  std::string_view name, instead;
};
constexpr std::array kForeign{
    Foreign{"prefixItems", "write `items` with an array of schemas"},
    Foreign{"dependentRequired", "write `dependencies`"},
    Foreign{"dependentSchemas", "write `dependencies`"},
    Foreign{"unevaluatedProperties", "write `additionalProperties` next to all the `properties`"},
    Foreign{"unevaluatedItems", "write `additionalItems`"},
    Foreign{"minContains", "remove it: in draft-07, `contains` always means at least one item"},
    Foreign{"maxContains", "remove it: in draft-07, `contains` always means at least one item"},
    Foreign{"$anchor", "refer by JSON pointer: \"#/definitions/name\""},
    Foreign{"$dynamicRef", "write `$ref`"},
    Foreign{"$recursiveRef", "write `$ref`"},
    Foreign{"divisibleBy", "write `multipleOf`"},
    Foreign{"disallow", "write `not`"},
    Foreign{"extends", "write `allOf`"},
};

// The keywords that may be next to `$ref`. draft-07 ignores every keyword next to `$ref`; ignoring these has no effect
// on a check.
constexpr std::array<std::string_view, 11> kBesideReference{"$ref",      "$schema",     "$id",        "$comment",
                                                            "title",     "default",     "examples",   "readOnly",
                                                            "writeOnly", "description", "definitions"};

constexpr std::array<std::string_view, 7> kTypes{"null", "boolean", "integer", "number", "string", "array", "object"};

constexpr std::size_t kMaxNameBytes = 1024;  // each pointer contains the names of all enclosing members

template <class Schema, class Visit>
void walk_subschemas(Schema& schema, const Visit& visit) {
  if (!schema.is_object()) return;
  for (auto it = schema.begin(); it != schema.end(); ++it) {
    const Keyword* keyword = find_keyword(it.key());
    if (keyword == nullptr) continue;
    std::string base;
    append_pointer_token(base, it.key());
    auto& value = it.value();
    const auto each = [&](bool schemas_only) {
      for (auto part = value.begin(); part != value.end(); ++part) {
        if (schemas_only && part.value().is_array()) continue;
        std::string pointer = base;
        append_pointer_token(pointer, value.is_object() ? part.key() : std::to_string(part - value.begin()));
        visit(*keyword, pointer, part.value());
      }
    };
    switch (keyword->form) {
      case Form::Schema:
        visit(*keyword, base, value);
        break;
      case Form::SchemaMap:
      case Form::PatternMap:
        if (value.is_object()) each(false);
        break;
      case Form::SchemaList:
        if (value.is_array()) each(false);
        break;
      case Form::Dependencies:
        if (value.is_object()) each(true);
        break;
      case Form::SchemaOrList:
        if (value.is_array())
          each(false);
        else
          visit(*keyword, base, value);
        break;
      default:
        break;
    }
  }
}

// A problem of a keyword's value.
struct Problem {
  std::string text, hint;
};
using MaybeProblem = std::optional<Problem>;

MaybeProblem expected(std::string_view what, const Json& value, std::string hint = "") {
  return Problem{"expected " + std::string(what) + ", got " + shown_with_type(value), std::move(hint)};
}

MaybeProblem check_names(const Json& value) {
  if (!value.is_array())
    return expected("an array of property names", value,
                    "write [\"name\"]; in draft-07 `required` is next to `properties`");
  std::set<std::string_view> seen;
  for (const Json& name : value) {
    if (!name.is_string()) return expected("a property name", name);
    if (!seen.insert(name.get_ref<const std::string&>()).second)
      return Problem{shown_value(name) + " appears twice", "keep one"};
    if (name.get_ref<const std::string&>().find('\0') != std::string::npos)
      return Problem{"a property name with a NUL character", "rename the property"};
  }
  return {};
}

MaybeProblem check_types(const Json& value) {
  const auto known = [](const Json& name) {
    return name.is_string() &&
           std::find(kTypes.begin(), kTypes.end(), name.get_ref<const std::string&>()) != kTypes.end();
  };
  constexpr const char* kHint =
      "write one of null, boolean, integer, number, string, array, object, or an array of them";
  if (!value.is_array()) return known(value) ? MaybeProblem{} : expected("a type's name", value, kHint);
  if (value.empty()) return Problem{"an empty array of types allows nothing", kHint};
  for (const Json& name : value)
    if (!known(name)) return expected("a type's name", name, kHint);
  return {};
}

MaybeProblem check_pattern(const std::string& pattern) {
  if (pattern.find('\0') != std::string::npos) return Problem{"a pattern with a NUL character", "write \\x00"};
  const auto compiled = compile_pattern(pattern);
  if (compiled.ok()) return {};
  return Problem{compiled.error().doing, compiled.error().hint};
}

MaybeProblem check_map(const Json& value, Form form) {
  if (!value.is_object()) return expected("an object", value);
  for (auto it = value.begin(); it != value.end(); ++it) {
    if (it.key().find('\0') != std::string::npos) return Problem{"a name with a NUL character", "rename it"};
    if (it.key().size() > kMaxNameBytes)
      return Problem{"a name of " + std::to_string(it.key().size()) + " bytes", "use a name of at most 1024 bytes"};
    if (form == Form::PatternMap)
      if (auto problem = check_pattern(it.key())) return problem;
    if (form == Form::Dependencies && it.value().is_array())
      if (auto problem = check_names(it.value())) return problem;
  }
  return {};
}

MaybeProblem check_value(const Keyword& keyword, const Json& value) {
  switch (keyword.form) {
    case Form::Any:
    case Form::Meta:
    case Form::Schema:
      return {};
    case Form::Text:
    case Form::Reference:
      return value.is_string() ? MaybeProblem{} : expected("a string", value);
    case Form::Flag:
      return value.is_boolean() ? MaybeProblem{} : expected("true or false", value);
    case Form::List:
      return value.is_array() ? MaybeProblem{} : expected("an array", value);
    case Form::Count:
      if (is_number(value) && is_integral(value) && compare_json(value, Json(0)) >= 0) return {};
      return expected("a whole number from 0", value);
    case Form::Number:
      return is_number(value) ? MaybeProblem{}
                              : expected("a number", value, "write a number: only draft-04 has `true` here");
    case Form::PositiveNumber:
      if (!is_number(value) || compare_json(value, Json(0)) <= 0) return expected("a number above 0", value);
      if (decimal_of(value).digits.size() <= kMaxDivisorDigits) return {};
      return expected("a number of at most " + std::to_string(kMaxDivisorDigits) + " digits", value);
    case Form::Pattern:
      if (!value.is_string()) return expected("a regular expression", value);
      return check_pattern(value.get_ref<const std::string&>());
    case Form::Names:
      return check_names(value);
    case Form::Values:
      return value.is_array() && !value.empty() ? MaybeProblem{} : expected("an array of at least one value", value);
    case Form::Types:
      return check_types(value);
    case Form::SchemaMap:
    case Form::PatternMap:
    case Form::Dependencies:
      return check_map(value, keyword.form);
    case Form::SchemaList:
      return value.is_array() && !value.empty() ? MaybeProblem{} : expected("an array of at least one schema", value);
    case Form::SchemaOrList:
      return value.is_array() || value.is_object() || value.is_boolean()
                 ? MaybeProblem{}
                 : expected("a schema or an array of schemas", value);
  }
  return {};
}

Status check_meta(const Json& schema, const std::string& where, bool is_document) {
  if (const auto id = schema.find("$schema"); id != schema.end()) {
    std::string uri = id->is_string() ? id->get<std::string>() : "";
    if (uri.ends_with('#')) uri.pop_back();
    if (uri != "http://json-schema.org/draft-07/schema" && uri != "https://json-schema.org/draft-07/schema")
      return schema_error(where + "/$schema", "expected draft-07, got " + shown_with_type(*id),
                          "write \"http://json-schema.org/draft-07/schema#\"");
  }
  // Within a document, `$id` would change the base of all references below it.
  if (schema.contains("$id") && !is_document)
    return schema_error(where + "/$id", "`$id` is allowed only at the top of a file",
                        "remove it, and refer to the schema by file and JSON pointer");
  if (!schema.contains("$ref")) return done();
  for (auto it = schema.begin(); it != schema.end(); ++it)
    if (find_keyword(it.key()) != nullptr && it.key() != "$defs" &&
        std::find(kBesideReference.begin(), kBesideReference.end(), it.key()) == kBesideReference.end())
      return schema_error(where, "draft-07 ignores `" + it.key() + "` next to `$ref`",
                          "write {\"allOf\": [{\"$ref\": ...}, {\"" + it.key() + "\": ...}]}");
  return done();
}

Status check_form(const Json& schema, const std::string& where, bool is_document, int nesting) {
  if (schema.is_boolean()) return done();
  if (!schema.is_object())
    return schema_error(where, "expected a schema, got " + shown_with_type(schema), "write an object, true or false");
  if (nesting > kMaxSchemaNesting)
    return schema_error(where, "schemas are nested deeper than " + std::to_string(kMaxSchemaNesting) + " levels",
                        "move a part to `definitions` and refer to it");
  BAND_CHECK(check_meta(schema, where, is_document));
  for (auto it = schema.begin(); it != schema.end(); ++it) {
    for (const Foreign& foreign : kForeign)
      if (it.key() == foreign.name)
        return schema_error(where, "`" + it.key() + "` is not a keyword of draft-07", std::string(foreign.instead));
    const Keyword* keyword = find_keyword(it.key());
    if (keyword == nullptr) continue;
    if (auto problem = check_value(*keyword, it.value()))
      return schema_error(where + "/" + it.key(), problem->text, problem->hint);
  }
  Status status = done();
  for_each_subschema(schema, [&](const Keyword&, const std::string& pointer, const Json& subschema) {
    if (status.ok()) status = check_form(subschema, where + pointer, false, nesting + 1);
  });
  return status;
}

}  // namespace

const Keyword* find_keyword(std::string_view name) {
  const auto found = std::find_if(kKeywords.begin(), kKeywords.end(), [&](const Keyword& k) { return k.name == name; });
  return found == kKeywords.end() ? nullptr : &*found;
}

std::vector<std::string> keyword_names() {
  std::vector<std::string> names;
  names.reserve(kKeywords.size());
  for (const Keyword& keyword : kKeywords) names.emplace_back(keyword.name);
  return names;
}

void for_each_subschema(const Json& schema, const SubschemaVisit& visit) { walk_subschemas(schema, visit); }
void for_each_subschema(Json& schema, const MutableSubschemaVisit& visit) { walk_subschemas(schema, visit); }

Status check_schema_form(const Json& schema, const std::string& where, bool is_document) {
  return check_form(schema, where, is_document, 0);
}

Error schema_error(const std::string& where, std::string problem, std::string hint) {
  return Error{.code = Code::SkillInvalid,
               .doing = "schema " + shown_pointer(where) + ": " + std::move(problem),
               .hint = std::move(hint)};
}

}  // namespace band
