// Runs one execution with every layer before a slot accepts its first request. The script of this execution checks the
// layers from inside.
//
// Promises: a slot serves only after its sandbox has passed the check. Does not cover: most attacks that tests/promises
// tries, because the script makes only the shortest check of each layer.
#pragma once

#include "schemas/core/result.h"
#include "server/execution/execution.h"
#include "server/slot/slot.h"

namespace band::run {

// Called on the slot's thread; takes about ten milliseconds.
Status self_check(slot::Slot& slot, SlotMounts& mounts, const Site& site);

}  // namespace band::run
