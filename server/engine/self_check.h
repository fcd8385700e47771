// Runs one execution through every layer before a slot accepts its first request; its script checks the layers from
// inside.
//
// Promises: a slot whose sandbox fails the check never serves. Does not cover: everything that tests/promises try; this
// is the shortest check of each layer.
#pragma once

#include "schemas/core/result.h"
#include "server/execution/execution.h"
#include "server/slot/slot.h"

namespace band::run {

// Called on the slot's thread; takes some ten milliseconds.
Status self_check(slot::Slot& slot, const Site& site);

}  // namespace band::run
