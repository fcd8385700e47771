// Before a slot takes its first request: one execution through every wall, whose script looks at them from inside.
//
// Promises: a slot whose sandbox is not what it should be never serves.
// Does not cover: what tests/promises try, which is everything; this is the shortest look at each layer.
#pragma once

#include "schemas/core/result.h"
#include "server/execution/execution.h"
#include "server/slot/slot.h"

namespace band::run {

// On the slot's thread; some ten milliseconds.
Status self_check(slot::Slot& slot, const Site& site);

}  // namespace band::run
