// A compiled schema that validates values. valijson parses the schema into constraints; band's own visitor (visitor.h)
// checks values against these constraints.
//
// valijson's ValidationVisitor is not used, because it copies the path of every value (1.3 GB for 10 MB of nested long
// keys), stores an error for each of millions of items, uses std::regex (which overflows the stack on a string of
// 64 KB), compares integers as doubles, and searches members linearly.
#pragma once

#include <memory>
#include <vector>

#include "schemas/json_schema/input_schema.h"
#include "schemas/json_schema/nodes.h"

namespace band {

inline constexpr std::size_t kMaxViolations = 50;

class SchemaProgram {
 public:
  // Error (Code::SkillInvalid): valijson does not accept the schema.
  static Result<std::shared_ptr<const SchemaProgram>> build(SchemaNodes nodes);
  virtual ~SchemaProgram() = default;

  // Checks `value` against the schema with index `node` in SchemaNodes. Returns at most kMaxViolations violations;
  // none if `value` is valid. The number of steps, the depth and the work for regular expressions are limited. A schema
  // with nested alternatives can reach a limit: the check then stops, and the last violation has the `rule` "limit".
  virtual std::vector<Violation> validate(const Json& value, std::size_t node = 0) const = 0;
  // Returns the argument of build(). Its member SchemaNodes::nodes is empty, because only build() needs it.
  virtual const SchemaNodes& nodes() const = 0;
};

}  // namespace band
