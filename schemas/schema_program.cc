// The only file that includes valijson; its exceptions stop in SchemaProgram::build.
#include "schemas/schema_program.h"

#define VALIJSON_USE_EXCEPTIONS 1  // otherwise valijson calls abort()
#include <algorithm>
#include <new>
#include <set>
#include <unordered_map>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/constraints/concrete_constraints.hpp>
#include <valijson/constraints/constraint_visitor.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>

#include "schemas/json_compare.h"
#include "schemas/json_text.h"
#include "schemas/schema_formats.h"
#include "schemas/schema_pattern.h"
#include "schemas/schema_report.h"

namespace band {
namespace {

using valijson::Subschema;
namespace vc = valijson::constraints;

// One hidden keyword: which, and the index of its operand (for Schema: of the node).
class ExactConstraint final : public vc::PolyConstraint {
 public:
  ExactConstraint(Exact which, std::size_t place) : exact(which), index(place) {}
  // Called by valijson's own validator only, which band does not use.
  bool validate(const valijson::adapters::Adapter&, const std::vector<std::string>&,
                valijson::ValidationResults*) const override {
    return false;
  }
  const Exact exact;
  const std::size_t index;

 private:
  vc::Constraint* cloneInto(void* place) const override { return new (place) ExactConstraint(*this); }
  std::size_t sizeOf() const override { return sizeof(ExactConstraint); }
};

class ExactBuilder final : public valijson::ConstraintBuilder {
 public:
  explicit ExactBuilder(Exact exact) : exact_(exact) {}
  vc::Constraint* make(const valijson::adapters::Adapter& index) const override {
    return new ExactConstraint(exact_, static_cast<std::size_t>(index.asInteger()));
  }

 private:
  const Exact exact_;
};

struct Program final : SchemaProgram {
  std::vector<Violation> validate(const Json& value, std::size_t node) const override;
  const SchemaNodes& nodes() const override { return parts; }

  SchemaNodes parts;
  std::vector<std::unique_ptr<valijson::Schema>> schemas;  // one for each of parts.nodes
};

// An object schema's members, for looking up. Made once for each constraint and validation.
struct Members {
  std::unordered_map<std::string_view, const Subschema*> named;
  std::vector<std::pair<const re2::RE2*, const Subschema*>> patterns;
  const Subschema* others = nullptr;  // nullptr: there may be none
};

// What one validation has spent, and may spend.
struct Run {
  const Program& program;
  std::uint64_t steps_left;
  std::uint64_t match_work_left;
  int depth = 0;
  const char* stopped = nullptr;  // why, once a bound is reached: then nothing is valid
  std::unordered_map<const vc::PropertiesConstraint*, Members> members = {};
};

constexpr int kMaxDepth = 1200;  // nested checks; the stack that they need is measured in input_schema_test

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
      break;  // draft-03's; refused by the form check
  }
  return "none";
}

std::string_view view(const auto& valijson_string) { return {valijson_string.data(), valijson_string.size()}; }

// Judges one value by one schema. With a report it finds all violations, without one it stops at the first.
class Visitor final : public vc::ConstraintVisitor {
 public:
  Visitor(Run& run, const Json& value, const Path& path, Report* report)
      : run_(run), value_(value), path_(path), report_(report) {}

  bool check(const Subschema& schema);

  bool visit(const AllOfConstraint& c) override;
  bool visit(const AnyOfConstraint& c) override;
  bool visit(const ConditionalConstraint& c) override;
  bool visit(const ContainsConstraint& c) override;
  bool visit(const DependenciesConstraint& c) override;
  bool visit(const LinearItemsConstraint& c) override;
  bool visit(const MaxItemsConstraint& c) override;
  bool visit(const MaxLengthConstraint& c) override;
  bool visit(const MaxPropertiesConstraint& c) override;
  bool visit(const MinItemsConstraint& c) override;
  bool visit(const MinLengthConstraint& c) override;
  bool visit(const MinPropertiesConstraint& c) override;
  bool visit(const NotConstraint& c) override;
  bool visit(const OneOfConstraint& c) override;
  bool visit(const PatternConstraint& c) override;
  bool visit(const PolyConstraint& c) override;
  bool visit(const PropertiesConstraint& c) override;
  bool visit(const PropertyNamesConstraint& c) override;
  bool visit(const RequiredConstraint& c) override;
  bool visit(const SingularItemsConstraint& c) override;
  bool visit(const TypeConstraint& c) override;
  bool visit(const UniqueItemsConstraint& c) override;

  // Never made: take_apart hides their keywords.
  bool visit(const ConstConstraint&) override { return fail("const", "not judged"); }
  bool visit(const EnumConstraint&) override { return fail("enum", "not judged"); }
  bool visit(const FormatConstraint&) override { return fail("format", "not judged"); }
  bool visit(const MaximumConstraint&) override { return fail("maximum", "not judged"); }
  bool visit(const MinimumConstraint&) override { return fail("minimum", "not judged"); }
  bool visit(const MultipleOfDoubleConstraint&) override { return fail("multipleOf", "not judged"); }
  bool visit(const MultipleOfIntConstraint&) override { return fail("multipleOf", "not judged"); }

 private:
  bool fail(const char* rule, const std::string& message) {
    if (report_ != nullptr) report_->add(path_, rule, message);
    return false;
  }
  // `message` is made only when somebody will read it.
  template <class Message>
  bool expect(bool holds, const char* rule, const Message& message) {
    if (!holds && report_ != nullptr) report_->add(path_, rule, message());
    return holds;
  }
  bool stop(const char* why) {
    if (run_.stopped == nullptr) run_.stopped = why;
    return false;
  }
  bool over() const { return run_.stopped != nullptr || (report_ != nullptr && report_->full()); }
  bool spend(std::uint64_t steps) {
    if (steps > run_.steps_left) return stop("the check takes too many steps");
    run_.steps_left -= steps;
    return true;
  }

  bool holds(const Subschema& schema) { return Visitor(run_, value_, path_, nullptr).check(schema); }
  bool check_part(const Json& part, const Path& path, const Subschema& schema) {
    return Visitor(run_, part, path, report_).check(schema);
  }
  bool found(const re2::RE2& pattern, std::string_view text);
  bool alternatives(const std::vector<const Subschema*>& schemas, const char* rule);
  bool check_exact(const ExactConstraint& c);
  bool check_number(const ExactConstraint& c, const Json& operand);
  bool check_count(const char* rule, bool applies, std::size_t count, std::uint64_t bound, bool at_most,
                   const char* unit);
  bool check_member(const std::string& name, const Json& member, const Members& members);
  const Members& members_of(const PropertiesConstraint& c);

  Run& run_;
  const Json& value_;
  const Path& path_;
  Report* report_;
  const Subschema* next_ = nullptr;
};

bool Visitor::check(const Subschema& schema) {
  if (run_.depth >= kMaxDepth) return stop("the value and the schema together are nested too deep");
  ++run_.depth;
  bool valid = true;
  // A schema that only stands for another sets `next_` to it: no nesting for that.
  for (const Subschema* now = &schema; now != nullptr && valid; now = std::exchange(next_, nullptr)) {
    if (over() || !spend(1)) {
      valid = false;
    } else if (now->getAlwaysInvalid()) {
      valid = fail("false", "nothing is allowed here, got " + shown_with_type(value_));
    } else {
      Subschema::ApplyFunction apply = [this](const vc::Constraint& constraint) {
        return !over() && spend(1) && constraint.accept(*this);
      };
      valid = report_ == nullptr ? now->applyStrict(apply) : now->apply(apply);
    }
  }
  --run_.depth;
  return valid;
}

// ---- schemas for the same value -----------------------------------------------------------------------------------

bool Visitor::visit(const AllOfConstraint& c) {
  bool valid = true;
  c.applyToSubschemas([&](unsigned, const Subschema* schema) {
    valid = check(*schema) && valid;
    return valid || report_ != nullptr;
  });
  return valid;
}

// None of `schemas` holds: says so, with the first violation of the one that came farthest into the value.
bool Visitor::alternatives(const std::vector<const Subschema*>& schemas, const char* rule) {
  if (report_ == nullptr || run_.stopped != nullptr) return false;
  std::optional<Violation> nearest;
  std::size_t farthest = 0;
  for (const Subschema* schema : schemas) {
    Report trial(1);
    Visitor(run_, value_, path_, &trial).check(*schema);
    if (trial.violations().empty()) continue;
    if (!nearest || trial.deepest() > farthest) nearest = trial.violations().front(), farthest = trial.deepest();
  }
  std::string message = "matches none of the " + std::to_string(schemas.size()) + " alternatives";
  if (!nearest) return fail(rule, message + ", got " + shown_with_type(value_));
  if (farthest > path_.depth()) message += "; the nearest fails at " + nearest->pointer;
  return fail(rule, message + ": " + nearest->message);
}

bool Visitor::visit(const AnyOfConstraint& c) {
  std::vector<const Subschema*> schemas;
  bool valid = false;
  c.applyToSubschemas([&](unsigned, const Subschema* schema) {
    schemas.push_back(schema);
    return !(valid = holds(*schema));
  });
  return valid || alternatives(schemas, "anyOf");
}

bool Visitor::visit(const OneOfConstraint& c) {
  std::vector<const Subschema*> schemas;
  std::vector<std::size_t> matching;
  c.applyToSubschemas([&](unsigned, const Subschema* schema) {
    if (holds(*schema)) matching.push_back(schemas.size());
    schemas.push_back(schema);
    return matching.size() < 2;
  });
  if (run_.stopped != nullptr) return false;
  if (matching.empty()) return alternatives(schemas, "oneOf");
  return expect(matching.size() == 1, "oneOf", [&] {
    return "matches alternatives " + std::to_string(matching[0] + 1) + " and " + std::to_string(matching[1] + 1) +
           ", and may match one only; got " + shown_with_type(value_);
  });
}

bool Visitor::visit(const NotConstraint& c) {
  const bool matches = holds(*c.getSubschema());
  if (run_.stopped != nullptr) return false;
  return expect(!matches, "not", [&] { return "matches what it must not, got " + shown_with_type(value_); });
}

bool Visitor::visit(const ConditionalConstraint& c) {
  const bool condition = holds(*c.getIfSubschema());
  if (run_.stopped != nullptr) return false;
  const Subschema* then = condition ? c.getThenSubschema() : c.getElseSubschema();
  return then == nullptr || check(*then);
}

bool Visitor::visit(const DependenciesConstraint& c) {
  if (!value_.is_object()) return true;
  if (!spend(value_.size())) return false;
  bool valid = true;
  c.applyToPropertyDependencies([&](const auto& name, const auto& needed) {
    if (!value_.contains(view(name)) || !spend(value_.size() * needed.size())) return true;
    for (const auto& other : needed)
      valid = expect(value_.contains(view(other)), "dependencies",
                     [&] {
                       return "missing property " + shown_string(view(other)) + ", which " + shown_string(view(name)) +
                              " needs";
                     }) &&
              valid;
    return valid || report_ != nullptr;
  });
  c.applyToSchemaDependencies([&](const auto& name, const Subschema* schema) {
    if (value_.contains(view(name))) valid = check(*schema) && valid;
    return valid || report_ != nullptr;
  });
  return valid;
}

// ---- objects ------------------------------------------------------------------------------------------------------

const Members& Visitor::members_of(const PropertiesConstraint& c) {
  const auto [at, made] = run_.members.try_emplace(&c);
  Members& members = at->second;
  if (!made) return members;
  c.applyToProperties(
      [&](const auto& name, const Subschema* schema) { return members.named.emplace(view(name), schema), true; });
  c.applyToPatternProperties([&](const auto& pattern, const Subschema* schema) {
    members.patterns.emplace_back(run_.program.parts.patterns.find(view(pattern))->second.get(), schema);
    return true;
  });
  members.others = c.getAdditionalPropertiesSubschema();
  return members;
}

bool Visitor::check_member(const std::string& name, const Json& member, const Members& members) {
  const Path path(path_, name);
  bool valid = true, known = false;
  if (const auto named = members.named.find(name); named != members.named.end()) {
    known = true;
    valid = check_part(member, path, *named->second);
  }
  for (const auto& [pattern, schema] : members.patterns) {
    if (!spend(1)) return false;
    if (!found(*pattern, name)) continue;
    known = true;
    valid = check_part(member, path, *schema) && valid;
  }
  if (run_.stopped != nullptr) return false;
  if (known) return valid;
  if (members.others != nullptr) return check_part(member, path, *members.others);
  if (report_ != nullptr) {
    std::vector<std::string_view> allowed;
    for (const auto& [key, schema] : members.named) allowed.push_back(key);
    report_->add(path, "additionalProperties", unexpected_property(name, std::move(allowed)));
  }
  return false;
}

bool Visitor::visit(const PropertiesConstraint& c) {
  if (!value_.is_object()) return true;
  const Members& members = members_of(c);
  bool valid = true;
  for (auto it = value_.begin(); it != value_.end(); ++it) {
    if (over() || !spend(1)) return false;
    valid = check_member(it.key(), it.value(), members) && valid;
    if (!valid && report_ == nullptr) return false;
  }
  return valid;
}

bool Visitor::visit(const PropertyNamesConstraint& c) {
  if (!value_.is_object()) return true;
  bool valid = true;
  for (auto it = value_.begin(); it != value_.end(); ++it) {
    if (over() || !spend(1)) return false;
    const Path path(path_, it.key());
    const bool name_valid = Visitor(run_, Json(it.key()), path, nullptr).check(*c.getSubschema());
    if (run_.stopped != nullptr) return false;
    if (!name_valid && report_ == nullptr) return false;
    if (!name_valid) report_->add(path, "propertyNames", "the name " + shown_string(it.key()) + " is not allowed");
    valid = valid && name_valid;
  }
  return valid;
}

bool Visitor::visit(const RequiredConstraint& c) {
  if (!value_.is_object()) return true;
  std::vector<std::string_view> names;
  c.applyToRequiredProperties([&](const auto& name) { return names.push_back(view(name)), true; });
  // A large object's members are looked up by a set: one search through them all for each name would be quadratic.
  std::set<std::string_view> present;
  const bool large = names.size() * value_.size() > 1024;
  if (large)
    for (auto it = value_.begin(); it != value_.end(); ++it) present.insert(it.key());
  if (!spend(names.size() + (large ? value_.size() : 0))) return false;
  bool valid = true;
  for (const std::string_view name : names) {
    const bool there = large ? present.contains(name) : value_.contains(name);
    valid = expect(there, "required", [&] { return "missing property " + shown_string(name); }) && valid;
    if (!valid && report_ == nullptr) return false;
  }
  return valid;
}

// ---- arrays -------------------------------------------------------------------------------------------------------

bool Visitor::visit(const SingularItemsConstraint& c) {
  if (!value_.is_array()) return true;
  bool valid = true;
  for (std::size_t i = 0; i < value_.size() && (valid || report_ != nullptr); ++i) {
    if (over()) return false;
    valid = check_part(value_[i], Path(path_, i), *c.getItemsSubschema()) && valid;
  }
  return valid;
}

bool Visitor::visit(const LinearItemsConstraint& c) {
  if (!value_.is_array()) return true;
  bool valid = true;
  std::size_t i = 0;
  c.applyToItemSubschemas([&](unsigned, const Subschema* schema) {
    if (i >= value_.size() || over()) return false;
    valid = check_part(value_[i], Path(path_, i), *schema) && valid;
    ++i;
    return valid || report_ != nullptr;
  });
  const Subschema* others = c.getAdditionalItemsSubschema();
  const std::size_t listed = c.getItemSubschemaCount();
  for (i = listed; i < value_.size() && (valid || report_ != nullptr); ++i) {
    if (over()) return false;
    const Path path(path_, i);
    if (others != nullptr) {
      valid = check_part(value_[i], path, *others) && valid;
    } else {
      if (report_ != nullptr)
        report_->add(path, "additionalItems", "unexpected item, there may be " + std::to_string(listed));
      valid = false;
    }
  }
  return valid;
}

bool Visitor::visit(const ContainsConstraint& c) {
  if (!value_.is_array()) return true;
  for (std::size_t i = 0; i < value_.size(); ++i) {
    if (over()) return false;
    if (Visitor(run_, value_[i], Path(path_, i), nullptr).check(*c.getSubschema())) return true;
  }
  if (run_.stopped != nullptr) return false;
  return fail("contains", "no item is as it must contain one, got " + shown_with_type(value_));
}

bool Visitor::visit(const UniqueItemsConstraint&) {
  if (!value_.is_array()) return true;
  if (!spend(value_.size())) return false;
  const auto equal = equal_items(value_);
  return expect(!equal, "uniqueItems", [&] {
    return "items " + std::to_string(equal->first) + " and " + std::to_string(equal->second) +
           " are equal: " + shown_with_type(value_[equal->first]);
  });
}

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
  // RE2's slowest engine looks at each instruction for each byte.
  const std::uint64_t work = text.size() * static_cast<std::uint64_t>(pattern.ProgramSize());
  if (work > run_.match_work_left) return stop("the strings are too long to match against these patterns");
  run_.match_work_left -= work;
  return pattern_found(pattern, text);
}

bool Visitor::visit(const PatternConstraint& c) {
  if (!value_.is_string()) return true;
  const auto pattern = c.getPattern<std::allocator<char>>();
  const re2::RE2& compiled = *run_.program.parts.patterns.find(pattern)->second;
  const bool matches = found(compiled, value_.get_ref<const std::string&>());
  if (run_.stopped != nullptr) return false;
  return expect(matches, "pattern", [&] {
    return "expected a string that matches " + escaped(pattern) + ", got " + shown_with_type(value_);
  });
}

bool Visitor::visit(const PolyConstraint& c) { return check_exact(static_cast<const ExactConstraint&>(c)); }

bool Visitor::check_exact(const ExactConstraint& c) {
  if (c.exact == Exact::Schema) {  // alone in its schema: see take_apart
    next_ = run_.program.schemas[c.index].get();
    return true;
  }
  const Json& operand = run_.program.parts.operands[c.index];
  switch (c.exact) {
    case Exact::Const:
      return expect(equal_json(value_, operand), "const",
                    [&] { return "expected " + shown_value(operand) + ", got " + shown_with_type(value_); });
    case Exact::Enum: {
      const Json& sorted = run_.program.parts.operands[c.index + 1];
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
  if (!value_.is_number()) return true;
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

std::vector<Violation> Program::validate(const Json& value, std::size_t node) const {
  // A value of N bytes has at most N/2 values; 20 constraints for each are ample, and a minute of nesting is not.
  Run run{*this, 50'000'000, 2'000'000'000};
  Report report(kMaxViolations);
  const Path root;
  const bool valid = Visitor(run, value, root, &report).check(*schemas[node]);
  if (run.stopped != nullptr)
    report.add(root, "limit", std::string(run.stopped) + "; make the value smaller or the schema simpler");
  else if (!valid && report.violations().empty())
    report.add(root, "false", "not valid");
  return report.take();
}

}  // namespace

Result<std::shared_ptr<const SchemaProgram>> SchemaProgram::build(SchemaNodes nodes) {
  try {
    auto program = std::make_shared<Program>();
    program->parts = std::move(nodes);
    valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
    for (const ExactKeyword& keyword : kExactKeywords)
      parser.addConstraintBuilder(keyword.hidden, new ExactBuilder(keyword.exact));
    for (const nlohmann::json& node : program->parts.nodes) {
      program->schemas.push_back(std::make_unique<valijson::Schema>());
      parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(node), *program->schemas.back());
    }
    program->parts.nodes.clear();
    return std::shared_ptr<const SchemaProgram>(std::move(program));
  } catch (const std::exception& error) {
    return Error{Code::SkillInvalid, "", "schema: " + escaped(error.what()), 0, "write it in JSON Schema draft-07", ""};
  }
}

}  // namespace band
