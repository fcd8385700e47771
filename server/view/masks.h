// Masks: empty mounts in a writable directory of the machine. A mask covers an entry that the script must neither read
// nor write.
//
// Promises: a mask is read-only, and empty except for the mount points of declared mounts inside it. Masks are on a
// file system of the slot: no file is made on the machine. A script cannot remove, rename or replace an entry that has
// a mask (EBUSY).
// Does not cover: other users of the machine. If one removes an entry, its mask disappears from every view immediately.
// If one renames a directory, its mask moves to the new name. check_masks() detects both after the run, but not a
// directory that was renamed and has its old name again when check_masks() is called.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/view/declared_mounts.h"

namespace band::view {

// Sets DeclaredMount::tree for the empty mounts of `declared`, which must be sorted. `place` is an empty directory of
// the slot; it is used as a temporary mount point.
Status make_masks(const std::string& place, std::vector<DeclaredMount>& declared);

// Returns an error when a mount that a deny requires (DeclaredMount::denied) is no longer at its place() beneath
// `root`.
Status check_masks(int root, const std::vector<DeclaredMount>& declared);

}  // namespace band::view
