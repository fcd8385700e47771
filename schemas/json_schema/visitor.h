// The visitor that checks a value against valijson's constraints. program.h states why valijson's visitor is not used;
// nodes.h explains nodes, operands and hidden keywords.
//
// visitor.cc has the constraints that apply further schemas to the same value (allOf, anyOf, not, if, dependencies),
// visit_containers.cc those for the members of objects and the items of arrays, and visit_values.cc those for sizes
// and for single values. Only these files and program.cc include valijson.
#pragma once

#define VALIJSON_USE_EXCEPTIONS 1  // otherwise valijson calls abort()
#include <re2/re2.h>

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <valijson/constraints/concrete_constraints.hpp>
#include <valijson/constraints/constraint_visitor.hpp>
#include <valijson/schema.hpp>
#include <vector>

#include "schemas/core/json_text.h"
#include "schemas/json_schema/nodes.h"
#include "schemas/json_schema/report.h"

namespace band::schema {

using valijson::Subschema;
namespace vc = valijson::constraints;

// The constraint of one hidden keyword. `index` is the index of the keyword's operand in SchemaNodes::operands; for
// Exact::Schema, `index` is the index of the referenced schema in SchemaNodes::nodes.
class ExactConstraint final : public vc::PolyConstraint {
 public:
  ExactConstraint(Exact which, std::size_t place) : exact(which), index(place) {}
  // Called only by valijson's own validator, which band does not use.
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

// The members that a `properties` constraint names, indexed for fast search. Built once for each constraint in each
// validation.
struct Members {
  std::unordered_map<std::string_view, const Subschema*> named;
  std::vector<std::pair<const re2::RE2*, const Subschema*>> patterns;
  const Subschema* others = nullptr;  // for all other members; nullptr: no other members are allowed
};

// The bounds and the state of one validation.
struct Run {
  const SchemaNodes& parts;
  const std::vector<std::unique_ptr<valijson::Schema>>& schemas;  // one for each node
  std::uint64_t steps_left;
  std::uint64_t match_work_left;
  int depth = 0;
  const char* stopped = nullptr;  // the bound that was reached; all further checks then fail
  std::unordered_map<const vc::PropertiesConstraint*, Members> members = {};
};

inline std::string_view view(const auto& valijson_string) { return {valijson_string.data(), valijson_string.size()}; }

// Checks one value against one schema. With a report, the check adds all violations to the report; without a report
// (nullptr), it stops at the first violation.
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

  // Never called: take_apart() replaces these keywords by hidden ones.
  bool visit(const ConstConstraint&) override { return fail("const", "not checked"); }
  bool visit(const EnumConstraint&) override { return fail("enum", "not checked"); }
  bool visit(const FormatConstraint&) override { return fail("format", "not checked"); }
  bool visit(const MaximumConstraint&) override { return fail("maximum", "not checked"); }
  bool visit(const MinimumConstraint&) override { return fail("minimum", "not checked"); }
  bool visit(const MultipleOfDoubleConstraint&) override { return fail("multipleOf", "not checked"); }
  bool visit(const MultipleOfIntConstraint&) override { return fail("multipleOf", "not checked"); }

 private:
  bool fail(const char* rule, const std::string& message) {
    if (report_ != nullptr) report_->add(path_, rule, message);
    return false;
  }
  // Calls `message` only if the check failed and there is a report.
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

}  // namespace band::schema
