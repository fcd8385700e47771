#include "schemas/json_schema/nodes.h"

#include <algorithm>
#include <charconv>

#include "schemas/core/json.h"
#include "schemas/core/json_compare.h"
#include "schemas/core/json_number.h"
#include "schemas/core/json_pointer.h"
#include "schemas/json_schema/keywords.h"
#include "schemas/json_schema/regular_expression.h"

namespace band {
namespace {

const ExactKeyword* exact_keyword(std::string_view keyword) {
  for (const ExactKeyword& exact : kExactKeywords)
    if (exact.keyword == keyword) return &exact;
  return nullptr;
}

class Taker {
 public:
  explicit Taker(const Json& bundle) : bundle_(bundle) {}

  Result<SchemaNodes> run() {
    // First assigns an index to each definition, so that references can use it; then converts the contents.
    out_.nodes.resize(1);
    if (bundle_.is_object())
      if (const auto all = bundle_.find("definitions"); all != bundle_.end())
        for (auto it = all->begin(); it != all->end(); ++it) {
          std::string reference = "#/definitions";
          append_pointer_token(reference, it.key());
          places_[reference] = out_.nodes.size();
          out_.nodes.emplace_back();
        }
    places_["#"] = 0;
    for (const auto& [reference, at] : places_) {
      pointer_ = reference.substr(1);
      const Json& schema = bundled_target(bundle_, reference);
      BAND_TRY(Plain content, node(schema));
      out_.nodes[at] = std::move(content);
      if (schema.is_object() && schema.contains("default")) out_.defaults.push_back({at, &schema, pointer_});
    }
    return std::move(out_);
  }

 private:
  using Plain = nlohmann::json;
  // "/keyword" and "/keyword/name", escaped.
  static std::string token(std::string_view keyword) {
    std::string pointer;
    append_pointer_token(pointer, keyword);
    return pointer;
  }
  static std::string token(std::string_view keyword, std::string_view name) {
    std::string pointer = token(keyword);
    append_pointer_token(pointer, name);
    return pointer;
  }
  static Plain index(std::size_t i) { return static_cast<std::uint64_t>(i); }
  static Plain child(std::size_t i) { return Plain{{"band:schema", index(i)}}; }

  // Returns the form of a schema within a node.
  Result<Plain> place(const Json& schema, const std::string& below) {
    if (schema.is_boolean()) return Plain(schema.get<bool>());
    const std::size_t pointer_size = pointer_.size();
    pointer_ += below;
    std::size_t at = 0;
    if (const auto reference = schema.find("$ref"); reference != schema.end()) {
      at = places_.at(reference->get<std::string>());
    } else {
      at = out_.nodes.size();
      out_.nodes.emplace_back();
      BAND_TRY(Plain content, node(schema));
      out_.nodes[at] = std::move(content);
    }
    if (schema.contains("default")) out_.defaults.push_back({at, &schema, pointer_});
    pointer_.resize(pointer_size);
    return child(at);
  }

  Result<Plain> node(const Json& schema) {
    if (schema.is_boolean()) return Plain(schema.get<bool>());
    if (const auto reference = schema.find("$ref"); reference != schema.end())
      return child(places_.at(reference->get<std::string>()));
    Plain out = Plain::object();
    Plain also = Plain::array();  // is appended to allOf
    for (auto it = schema.begin(); it != schema.end(); ++it) {
      const Keyword* keyword = find_keyword(it.key());
      if (keyword == nullptr || it.key() == "definitions" || it.key() == "$defs") continue;
      BAND_CHECK(member(*keyword, it.value(), out, also));
    }
    for (const Plain& part : also) out["allOf"].push_back(part);
    return out;
  }

  Status member(const Keyword& keyword, const Json& value, Plain& out, Plain& also) {
    const std::string name(keyword.name);
    if (const ExactKeyword* exact = exact_keyword(name)) {
      out[exact->hidden] = operand(value, exact->exact);
      return done();
    }
    switch (keyword.form) {
      case Form::Types:
      case Form::Names:
        out[name] = Plain(value);
        break;
      case Form::Flag:
        if (name == "uniqueItems") out[name] = value.get<bool>();
        break;
      case Form::Count:
        out[name] = count(value);
        break;
      case Form::Pattern:
        BAND_CHECK(pattern(value.get<std::string>()));
        out[name] = value.get<std::string>();
        break;
      case Form::Schema: {
        BAND_TRY(out[name], place(value, token(name)));
        break;
      }
      case Form::SchemaOrList:
        if (!value.is_array()) {
          BAND_TRY(out[name], place(value, token(name)));
          break;
        }
        [[fallthrough]];
      case Form::SchemaList:
        return list(value, name, out[name]);
      case Form::SchemaMap:
      case Form::PatternMap:
        return map(keyword, value, out[name]);
      case Form::Dependencies:
        return dependencies(value, also);
      default:
        break;  // checks nothing
    }
    return done();
  }

  Status list(const Json& schemas, const std::string& keyword, Plain& out) {
    out = Plain::array();
    for (std::size_t i = 0; i < schemas.size(); ++i) {
      BAND_TRY(Plain content, place(schemas[i], token(keyword, std::to_string(i))));
      out.push_back(std::move(content));
    }
    return done();
  }

  Status map(const Keyword& keyword, const Json& schemas, Plain& out) {
    out = Plain::object();
    for (auto it = schemas.begin(); it != schemas.end(); ++it) {
      if (keyword.form == Form::PatternMap) BAND_CHECK(pattern(it.key()));
      BAND_TRY(out[it.key()], place(it.value(), token(keyword.name, it.key())));
    }
    return done();
  }

  // Each dependency has its own node: valijson uses the first schema of a `dependencies` for all its members.
  Status dependencies(const Json& value, Plain& also) {
    for (auto it = value.begin(); it != value.end(); ++it) {
      Plain one = Plain::object();
      if (it.value().is_array()) {
        one[it.key()] = Plain(it.value());
      } else {
        BAND_TRY(one[it.key()], place(it.value(), token("dependencies", it.key())));
      }
      also.push_back(child(out_.nodes.size()));
      out_.nodes.push_back(Plain{{"dependencies", std::move(one)}});
    }
    return done();
  }

  Plain operand(const Json& value, Exact exact) {
    const std::size_t at = out_.operands.size();
    out_.operands.push_back(value);
    if (exact == Exact::Enum) {
      out_.operands.push_back(value);
      Json& sorted = out_.operands.back();
      std::sort(sorted.begin(), sorted.end(), [](const Json& a, const Json& b) { return compare_json(a, b) < 0; });
    }
    return index(at);
  }

  // draft-07 treats 3.0 as 3. Numbers beyond every possible length become the largest integer.
  static Plain count(const Json& value) {
    constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
    if (compare_json(value, Json(kLargest)) >= 0) return kLargest;
    const Decimal whole = decimal_of(value);
    std::int64_t number = 0;
    const std::string digits = whole.digits + std::string(static_cast<std::size_t>(whole.exponent), '0');
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
  }

  Status pattern(const std::string& text) {
    if (out_.patterns.contains(text)) return done();
    BAND_TRY(out_.patterns[text], compile_pattern(text));
    return done();
  }

  const Json& bundle_;
  std::map<std::string, std::size_t> places_;
  std::string pointer_;  // pointer of the schema that is being split
  SchemaNodes out_;
};

}  // namespace

Result<SchemaNodes> take_apart(const Bundle& bundle) { return Taker(bundle.schema).run(); }

}  // namespace band
