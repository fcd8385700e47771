// Before a slot (the place for one execution at a time) accepts its first request, runs one execution in it. The script
// of this execution checks from inside the layers, that is, the mechanisms of the sandbox (docs/architecture.md 3).
//
// Promises: a slot serves only after its sandbox has passed the check.
// Does not cover: the gateway and the command view, because this execution has no net rules and no declared commands.
// The script makes only short checks of the other layers; tests/promises tries many more attacks.
#pragma once

#include "schemas/core/result.h"
#include "server/execution/execution.h"
#include "server/slot/slot.h"

namespace band::run {

// Call it on the slot's thread; it takes about ten milliseconds. Returns an error when the script could not be run or a
// check failed; the error then names the layer.
Status self_check(slot::Slot& slot, SlotMounts& mounts, const Site& site);

}  // namespace band::run
