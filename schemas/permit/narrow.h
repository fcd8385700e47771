// Joins two configurations of a band into one that allows only what both of them allow. A configuration is the value of
// the key that has the band's name. Pure.
#pragma once

#include "schemas/core/json_fwd.h"
#include "schemas/core/json_value.h"
#include "schemas/core/result.h"

namespace band {

// `band` and `more` must be maps. A member that only one of the two maps has, or that is null in the other map, is
// copied unchanged. A member that both maps have becomes:
//   of two booleans      true only if both are true
//   of two numbers       the smaller number
//   of two maps          a map, joined by these rules
//   of two lists         the items that are in both lists, in the order of `band`; "*" in a list stands for all items
//   of any other values  the value, which must be the same in both
// Exception: if the member is named `deny`, or is below a member named `deny` at any depth, two lists become a list of
// the items that are in at least one of them, and two booleans become true if at least one of them is true.
//
// Error (Code::SkillInvalid): two values of any other types differ. The message names the member by its path, as in
// `slack.channels.allow`; `name` is the name of the band, with which this path begins.
Result<JsonValue> narrow(const Json& band, const Json& more, const std::string& name);

}  // namespace band
