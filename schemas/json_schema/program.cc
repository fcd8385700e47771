// valijson's exceptions are caught in SchemaProgram::build.
#include "schemas/json_schema/program.h"

#include "schemas/core/json.h"
#include "schemas/json_schema/visitor.h"  // first: configures valijson to throw exceptions

#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema_parser.hpp>

namespace band {
namespace {

namespace vc = valijson::constraints;
using schema::ExactConstraint;

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

std::vector<Violation> Program::validate(const Json& value, std::size_t node) const {
  // A text of N bytes has at most N/2 values, and 20 constraints for each value are enough. Nested alternatives could
  // take minutes without this bound.
  schema::Run run{parts, schemas, 50'000'000, 2'000'000'000};
  Report report(kMaxViolations);
  const Path root;
  const bool valid = schema::Visitor(run, value, root, &report).check(*schemas[node]);
  if (run.stopped != nullptr)
    report.add(root, "limit", std::string(run.stopped) + "; make the value smaller or the schema simpler");
  else if (!valid && report.violations().empty())
    report.add(root, "false", "not valid");
  return report.release();
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
    return Error{.code = Code::SkillInvalid,
                 .doing = "schema: " + escaped(error.what()),
                 .hint = "write it in JSON Schema draft-07"};
  }
}

}  // namespace band
