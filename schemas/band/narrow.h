// A band's own configuration, joined with another one so that what either closes stays closed. Pure.
#pragma once

#include "schemas/core/json_fwd.h"
#include "schemas/core/json_value.h"
#include "schemas/core/result.h"

namespace band {

// `band` and `more` are maps. A member that one of them has, or has as null, is the other's. Of what both have:
//   true and false     false
//   numbers            the smaller one
//   maps               member by member
//   lists              what is in both, in the order of `band`; a list with "*" has everything
//   lists named deny, or in a map of that name: what is in either; there `true` holds of two booleans
//   anything else      has to be equal
// Errors (Code::SkillInvalid) name the member, as in `slack.channels.allow`; `name` is the band's.
Result<JsonValue> narrow(const Json& band, const Json& more, const std::string& name);

}  // namespace band
