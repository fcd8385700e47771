// Joins two configurations of a band (the value of the key with the band's name), so that the result allows nothing
// that one of the two does not allow. Pure.
#pragma once

#include "schemas/core/json_fwd.h"
#include "schemas/core/json_value.h"
#include "schemas/core/result.h"

namespace band {

// `band` and `more` must be maps. A member that only one of the two maps has, or that is null in one of them, is copied
// from the other. A member that both have becomes:
//   of two booleans      true only if both are true
//   of two numbers       the smaller number
//   of two maps          a map, joined by these rules
//   of two lists         the items that are in both lists, in the order of `band`; "*" in a list stands for all items
//   of any other values  the value, which must be the same in both
// In a map below a key `deny`, at any depth, and in `deny` itself, the opposite is right: of two lists all items of
// both lists, and of two booleans true if at least one is true.
// An error (Code::SkillInvalid) names the member, as in `slack.channels.allow`. `name` is the name of the band.
Result<JsonValue> narrow(const Json& band, const Json& more, const std::string& name);

}  // namespace band
