// Masks: empty mounts in a directory of the machine that the script may write to. A mask covers an entry that the
// script must neither read nor write.
//
// Promises: a mask is read-only, and empty except for the mount points of declared mounts (declared.h) inside it. The
// files and directories that masks show are on a tmpfs of the slot: nothing is made in the machine's directories. A
// script cannot remove, rename or replace an entry that has a mask (EBUSY).
// Does not cover: changes by processes outside the sandbox. If such a process removes an entry, the kernel immediately
// removes the entry's mask from every view (the file system of a sandbox). If such a process renames a directory, masks
// on it and below it move with the directory. check_masks() detects both changes after the run, but only for masks that
// a deny rule requires (DeclaredMount::denied). It does not detect that a directory was renamed if the directory has
// its old name again when check_masks() is called.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/view/declared_mounts.h"

namespace band::view {

// Sets DeclaredMount::tree of the masks in `declared`, which must be sorted (DeclaredMounts::merged()). `place` is an
// empty directory of the slot; a tmpfs is mounted there until make_masks() returns. Call it on the slot's thread: it
// mounts in the mount namespace of the calling thread.
Status make_masks(const std::string& place, std::vector<DeclaredMount>& declared);

// Returns an error when a mount that a deny requires (DeclaredMount::denied) is no longer at its place() beneath
// `root`, a descriptor of the view's root.
Status check_masks(int root, const std::vector<DeclaredMount>& declared);

}  // namespace band::view
