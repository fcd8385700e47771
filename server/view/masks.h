// Masks: mounts that show nothing, over what a writable directory of the machine must not show or give away.
//
// Promises: a mask is read-only and empty but for the places of declared mounts inside it, on a file system of the
// stage's own: nothing is made on the machine. A script cannot remove, rename or replace what has a mask (EBUSY).
// Does not cover: users of the machine can. Who removes what a mask lies on lifts it in every view at once, and a
// directory that is renamed takes the mask along. check_masks() finds both at the end; not a directory that was renamed
// and has its old name again by then.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/view/declared_mounts.h"

namespace band::view {

// Makes the trees of the empty mounts of a sorted list. `place` is an empty directory of the slot, used for a moment.
Status make_masks(const std::string& place, std::vector<DeclaredMount>& declared);

// Do the mounts that a deny asked for still lie at their paths beneath `root`?
Status check_masks(int root, const std::vector<DeclaredMount>& declared);

}  // namespace band::view
