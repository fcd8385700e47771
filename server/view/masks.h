// Masks: empty mounts that cover entries of a writable directory of the machine which the script must not read or
// write.
//
// Promises: a mask is read-only, and empty except for the mount points of declared mounts inside it. It is on the
// stage's own file system: no file is made on the machine. A script cannot remove, rename or replace an entry that has
// a mask (EBUSY).
// Does not cover: other users of the machine. Removing an entry lifts its mask in every view immediately, and a renamed
// directory keeps its mask under the new name. check_masks() detects both at the end, but not a directory that was
// renamed and has its old name again by then.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/view/declared_mounts.h"

namespace band::view {

// Makes the trees of the empty mounts of a sorted list. `place` is an empty directory of the slot, used as a temporary
// mount point.
Status make_masks(const std::string& place, std::vector<DeclaredMount>& declared);

// Returns an error when a mount that a deny requires is no longer at its path beneath `root`.
Status check_masks(int root, const std::vector<DeclaredMount>& declared);

}  // namespace band::view
