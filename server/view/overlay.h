// The files that a slot (the place for one execution at a time) shows to its sandboxes and that other slots and
// programs of the machine use, too: the floor (a directory with copies of the machine's programs), directories of
// programs, and the devices. A slot shows them through overlays: overlayfs mounts with one directory and no directory
// for changes. An overlay has a superblock of its own, and so an inode of its own for each file. inotify watches and
// the locks of flock(2) and fcntl(2) belong to inodes. The content of a file is in the page cache only once, for all
// overlays.
//
// Promises: a process that watches (inotify(7), fcntl(2) F_NOTIFY) a file or directory of an overlay gets no event if a
// process opens, reads or executes the same file through another overlay or by its path on the machine. A lock on a
// file of an overlay has no effect outside of this overlay. Nothing can be changed through an overlay: neither files
// nor their times, not even by the owner of a file. Mounts below the directory are not shown.
// Does not cover:
// - Successive executions in one slot, which use the same overlays of floor and devices. All processes of an execution
//   are dead before the slot's next execution begins (server/execution/execution.h); the kernel then has removed their
//   watches and locks.
// - Paths of the machine that a band declares (declared.h). They are mounted themselves, because programs of the
//   machine must see the locks and changes of a script.
// - Programs of the machine: a watch on a file of the directory itself may report the use through an overlay.
// - Changes of the directory. If a program of the machine replaces or adds a file after a process looked up its name,
//   the overlay may show the earlier file, or no file. Use an overlay of such a directory for one sandbox only.
#pragma once

#include <string>

#include "schemas/core/result.h"
#include "server/base/fd.h"
#include "server/base/undo.h"
#include "server/view/mounts.h"

namespace band::view {

class Overlays {
 public:
  // Call it on the slot's thread: mounts the overlay of /dev at `place`, a directory that is made if it is missing.
  // `empty`: path of an empty directory, which is made if it is missing. It is the second layer of each overlay,
  // because overlayfs requires two layers. If it is on the file system of the overlay's directory, the files have the
  // same inode numbers as on the machine. Returns an error with a hint if the kernel has no overlayfs.
  static Result<Overlays> make(const std::string& empty, const std::string& place);

  // Returns a detached mount of a new overlay of `directory`, a descriptor of a directory in the mount namespace of the
  // calling thread.
  Result<base::Fd> over(int directory, const MountRights& rights) const;
  // Returns a descriptor of the overlay of /dev.
  int devices() const { return devices_.get(); }

 private:
  base::Undo unmount_;
  base::Fd empty_, devices_;
};

// Returns an error if overlays of a directory of this file system, and of /dev, cannot be made. Call it in a mount
// namespace of the calling process. Attaches no mount.
Status check_overlays(const std::string& directory);

}  // namespace band::view
