// The value of a limit from several sources.
//
// A limit of a script is the value that its own band sets, or else the documented default (EffectiveLimits). Each other
// source (a band that this band includes or extends, the operator's ceiling) is a maximum: it can lower this value, and
// it never raises it. A source without the limit does not change the value. maxCostDollars has no default: without an
// own value, the smallest maximum is the value.
#pragma once

#include "schemas/rules/limits.h"

namespace band {

// Returns for each limit the smaller value; if only one of the two is present, that value. For two maxima.
Limits smaller(const Limits& a, const Limits& b);

// Returns the limits of a band with own values `own`, under the maxima `most`.
EffectiveLimits effective(const Limits& own, const Limits& most = {});

}  // namespace band
