// The keyword `default`, filled in.
#pragma once

#include "schemas/core/json_fwd.h"
#include "schemas/json_schema/nodes.h"

namespace band {

// Gives absent properties of `value` their defaults, beneath `properties`, `patternProperties`, `additionalProperties`,
// `items`, `additionalItems`, `allOf` and `$ref`, and fills what it gave in the same way; where two schemas have a
// default for one property the first wins. `schema` is `bundle` or a part of it. Adds at most `most` members, and goes
// at most 2 * kMaxJsonDepth levels down; false when that was not enough.
bool fill_defaults(const Json& bundle, const SchemaNodes& nodes, const Json& schema, Json& value, std::size_t most);

}  // namespace band
