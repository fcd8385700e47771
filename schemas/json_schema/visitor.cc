#include "schemas/json_schema/visitor.h"

#include <optional>

namespace band::schema {
namespace {

constexpr int kMaxDepth = 1200;  // nested checks; input_schema_test measures the stack that they need

}  // namespace

bool Visitor::check(const Subschema& schema) {
  if (run_.depth >= kMaxDepth) return stop("the value and the schema together are nested too deep");
  ++run_.depth;
  bool valid = true;
  // A schema that is only a reference sets `next_` to its target, without recursion.
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

// Reports that the value matches none of `schemas`. Also reports a violation of one of them: of the schema whose first
// violation is deepest in the value, because the author of the value probably intended this schema.
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
           ", but must match exactly one; got " + shown_with_type(value_);
  });
}

bool Visitor::visit(const NotConstraint& c) {
  const bool matches = holds(*c.getSubschema());
  if (run_.stopped != nullptr) return false;
  return expect(!matches, "not", [&] { return "matches the schema of `not`, got " + shown_with_type(value_); });
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
                       return "missing property " + shown_string(view(other)) + ", which the property " +
                              shown_string(view(name)) + " requires";
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

}  // namespace band::schema
