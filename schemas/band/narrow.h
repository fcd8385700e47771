// Joins two configurations of bands such that everything that one of them closes stays closed. Pure.
#pragma once

#include "schemas/core/json_fwd.h"
#include "schemas/core/json_value.h"
#include "schemas/core/result.h"

namespace band {

// `band` and `more` must be maps. A member that only one of them has, or that is null in the other, is copied. Members
// of both are joined:
//   booleans           true only if both are true
//   numbers            the smaller one
//   maps               member by member
//   lists              the items of both, in the order of `band`; a list with "*" has all items
//   in a member named `deny`, at any depth: lists have the items of either; a boolean is true if one is true
//   anything else      must be equal
// Errors (Code::SkillInvalid) name the member, as in `slack.channels.allow`. `name` is the name of the band.
Result<JsonValue> narrow(const Json& band, const Json& more, const std::string& name);

}  // namespace band
