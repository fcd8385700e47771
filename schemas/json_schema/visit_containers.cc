#include <set>

#include "schemas/core/json.h"
#include "schemas/core/json_compare.h"
#include "schemas/json_schema/visitor.h"

namespace band::schema {

// ---- objects ------------------------------------------------------------------------------------------------------

const Members& Visitor::members_of(const PropertiesConstraint& c) {
  const auto [at, made] = run_.members.try_emplace(&c);
  Members& members = at->second;
  if (!made) return members;
  c.applyToProperties(
      [&](const auto& name, const Subschema* schema) { return members.named.emplace(view(name), schema), true; });
  c.applyToPatternProperties([&](const auto& pattern, const Subschema* schema) {
    members.patterns.emplace_back(run_.parts.patterns.find(view(pattern))->second.get(), schema);
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
  // Large objects use a set: searching all members for each name would take quadratic time.
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
        report_->add(path, "additionalItems", "unexpected item: the array can have at most " + std::to_string(listed));
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
  return fail("contains", "no item matches the schema of `contains`, got " + shown_with_type(value_));
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

}  // namespace band::schema
