#include <algorithm>

#include "schemas/core/json.h"
#include "schemas/core/json_compare.h"
#include "schemas/core/json_number.h"
#include "schemas/json_schema/formats.h"
#include "schemas/json_schema/regular_expression.h"
#include "schemas/json_schema/visitor.h"

namespace band::schema {
namespace {

std::string_view type_name(vc::TypeConstraint::JsonType type) {
  switch (type) {
    case vc::TypeConstraint::kNull:
      return "null";
    case vc::TypeConstraint::kBoolean:
      return "boolean";
    case vc::TypeConstraint::kInteger:
      return "integer";
    case vc::TypeConstraint::kNumber:
      return "number";
    case vc::TypeConstraint::kString:
      return "string";
    case vc::TypeConstraint::kArray:
      return "array";
    case vc::TypeConstraint::kObject:
      return "object";
    case vc::TypeConstraint::kAny:
      break;  // a type of draft-03; the form check refuses it
  }
  return "none";
}

}  // namespace

// ---- counts -------------------------------------------------------------------------------------------------------

bool Visitor::check_count(const char* rule, bool applies, std::size_t count, std::uint64_t bound, bool at_most,
                          const char* unit) {
  return expect(!applies || (at_most ? count <= bound : count >= bound), rule, [&] {
    return std::string("expected at ") + (at_most ? "most " : "least ") + std::to_string(bound) + " " + unit +
           ", got " + std::to_string(count) + (value_.is_string() ? ": " + shown_with_type(value_) : "");
  });
}

bool Visitor::visit(const MaxItemsConstraint& c) {
  return check_count("maxItems", value_.is_array(), value_.size(), c.getMaxItems(), true, "items");
}
bool Visitor::visit(const MinItemsConstraint& c) {
  return check_count("minItems", value_.is_array(), value_.size(), c.getMinItems(), false, "items");
}
bool Visitor::visit(const MaxPropertiesConstraint& c) {
  return check_count("maxProperties", value_.is_object(), value_.size(), c.getMaxProperties(), true, "properties");
}
bool Visitor::visit(const MinPropertiesConstraint& c) {
  return check_count("minProperties", value_.is_object(), value_.size(), c.getMinProperties(), false, "properties");
}
bool Visitor::visit(const MaxLengthConstraint& c) {
  return check_count("maxLength", value_.is_string(), characters_of(value_), c.getMaxLength(), true, "characters");
}
bool Visitor::visit(const MinLengthConstraint& c) {
  return check_count("minLength", value_.is_string(), characters_of(value_), c.getMinLength(), false, "characters");
}

// ---- single values ------------------------------------------------------------------------------------------------

bool Visitor::visit(const TypeConstraint& c) {
  bool valid = false;
  std::string names;
  c.applyToNamedTypes([&](TypeConstraint::JsonType type) {
    valid = valid || is_of_type(value_, type_name(type));
    if (report_ != nullptr) names += (names.empty() ? "" : " or ") + std::string(type_name(type));
    return true;
  });
  return expect(valid, "type", [&] { return "expected " + names + ", got " + shown_with_type(value_); });
}

bool Visitor::found(const re2::RE2& pattern, std::string_view text) {
  // RE2's slowest engine visits each instruction for each byte.
  const std::uint64_t work = text.size() * static_cast<std::uint64_t>(pattern.ProgramSize());
  if (work > run_.match_work_left) return stop("the strings are too long to match against these patterns");
  run_.match_work_left -= work;
  return pattern_found(pattern, text);
}

bool Visitor::visit(const PatternConstraint& c) {
  if (!value_.is_string()) return true;
  const auto pattern = c.getPattern<std::allocator<char>>();
  const re2::RE2& compiled = *run_.parts.patterns.find(pattern)->second;
  const bool matches = found(compiled, value_.get_ref<const std::string&>());
  if (run_.stopped != nullptr) return false;
  return expect(matches, "pattern", [&] {
    return "expected a string that matches " + escaped(pattern) + ", got " + shown_with_type(value_);
  });
}

bool Visitor::visit(const PolyConstraint& c) { return check_exact(static_cast<const ExactConstraint&>(c)); }

bool Visitor::check_exact(const ExactConstraint& c) {
  if (c.exact == Exact::Schema) {  // the only constraint of its schema: see take_apart
    next_ = run_.schemas[c.index].get();
    return true;
  }
  const Json& operand = run_.parts.operands[c.index];
  switch (c.exact) {
    case Exact::Const:
      return expect(equal_json(value_, operand), "const",
                    [&] { return "expected " + shown_value(operand) + ", got " + shown_with_type(value_); });
    case Exact::Enum: {
      const Json& sorted = run_.parts.operands[c.index + 1];
      const auto less = [](const Json& a, const Json& b) { return compare_json(a, b) < 0; };
      return expect(std::binary_search(sorted.begin(), sorted.end(), value_, less), "enum", [&] {
        return "expected one of " + shown_value(operand, 200) + ", got " + shown_with_type(value_);
      });
    }
    case Exact::Format:
      if (!value_.is_string()) return true;
      return expect(matches_format(operand.get_ref<const std::string&>(), value_.get_ref<const std::string&>()),
                    "format",
                    [&] { return "expected " + operand.get<std::string>() + ", got " + shown_with_type(value_); });
    default:
      return check_number(c, operand);
  }
}

bool Visitor::check_number(const ExactConstraint& c, const Json& operand) {
  if (!is_number(value_)) return true;
  const auto say = [&](const char* relation) {
    return [this, relation, &operand] {
      return std::string("expected ") + relation + " " + shown_value(operand) + ", got " + shown_with_type(value_);
    };
  };
  if (c.exact == Exact::MultipleOf) return expect(is_multiple_of(value_, operand), "multipleOf", say("a multiple of"));
  const int order = compare_json(value_, operand);
  switch (c.exact) {
    case Exact::Minimum:
      return expect(order >= 0, "minimum", say("at least"));
    case Exact::Maximum:
      return expect(order <= 0, "maximum", say("at most"));
    case Exact::ExclusiveMinimum:
      return expect(order > 0, "exclusiveMinimum", say("more than"));
    default:
      return expect(order < 0, "exclusiveMaximum", say("less than"));
  }
}

}  // namespace band::schema
