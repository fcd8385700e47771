// Adds default values (the keyword `default`) to a value.
#pragma once

#include "schemas/core/json_fwd.h"
#include "schemas/json_schema/nodes.h"

namespace band {

// Adds to `value` each absent property for which `schema` has a default, at any depth, and also within added values.
// Finds the schemas of the parts of `value` through `properties`, `patternProperties`, `additionalProperties`, `items`,
// `additionalItems`, `allOf` and `$ref`. If two schemas have a default for one property, uses the default that was
// found first. `schema` is `bundle` or a part of `bundle`. Adds at most `most` members and descends at most 2 *
// kMaxJsonDepth levels; returns false when one of these bounds was reached.
bool fill_defaults(const Json& bundle, const SchemaNodes& nodes, const Json& schema, Json& value, std::size_t most);

}  // namespace band
