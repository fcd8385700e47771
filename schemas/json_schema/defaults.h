// Applies the keyword `default`.
#pragma once

#include "schemas/core/json_fwd.h"
#include "schemas/json_schema/nodes.h"

namespace band {

// Adds absent properties of `value` that have a default, following `properties`, `patternProperties`,
// `additionalProperties`, `items`, `additionalItems`, `allOf` and `$ref`, and does the same within added values. If two
// schemas have a default for one property, the first one is used. `schema` is `bundle` or a part of it. Adds at most
// `most` members and descends at most 2 * kMaxJsonDepth levels; returns false when a bound was reached.
bool fill_defaults(const Json& bundle, const SchemaNodes& nodes, const Json& schema, Json& value, std::size_t most);

}  // namespace band
