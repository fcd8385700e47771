// A compiled schema that validates values: valijson's constraints with band's own visitor.
//
// valijson's ValidationVisitor is not used: it copies the path of every value (1.3 GB for 10 MB of nested long keys),
// keeps an error for each of millions of items, runs std::regex (whose stack a string of 64 KB overflows), compares
// integers as doubles, and looks up members linearly.
#pragma once

#include <memory>
#include <vector>

#include "schemas/json_schema/input_schema.h"
#include "schemas/json_schema/nodes.h"

namespace band {

inline constexpr std::size_t kMaxViolations = 50;

class SchemaProgram {
 public:
  static Result<std::shared_ptr<const SchemaProgram>> build(SchemaNodes nodes);
  virtual ~SchemaProgram() = default;

  // Returns at most kMaxViolations. Time and memory are bounded by the sizes of `value` and of the schema; if the check
  // would exceed the bound (nested alternatives, ...), there is a violation of the rule "limit".
  // `node` is the index of the schema in SchemaNodes.
  virtual std::vector<Violation> validate(const Json& value, std::size_t node = 0) const = 0;
  virtual const SchemaNodes& nodes() const = 0;  // without its `nodes`
};

}  // namespace band
