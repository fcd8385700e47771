// Wrappers for the new mount API: trees are made detached, then restricted, and only then attached, so that no mount is
// visible with more than its final rights. See open_tree(2), move_mount(2), mount_setattr(2), fsopen(2), openat2(2).
// All need Linux 5.12.
#pragma once

#include <cstdint>
#include <string>

#include "schemas/core/result.h"
#include "server/base/fd.h"

namespace band::view {

struct MountRights {
  bool writable = false;
  bool executable = false;
  bool devices = false;  // always nosuid
};

struct TmpfsSize {
  std::int64_t bytes = 0;
  std::int64_t inodes = 0;
};

// Returns a detached tmpfs, root:root 0755, nosuid; also nodev and noexec unless `rights` permit these. Both sizes are
// enforced: bubblewrap's own --tmpfs has no limit on inodes, and 200,000 empty files fit into its megabyte.
Result<base::Fd> make_tmpfs(const TmpfsSize& size, const MountRights& rights);
// Changes the limits of the tmpfs whose mount `tree` refers to. Returns an error when it already contains more. See
// fspick(2).
Status resize_tmpfs(int tree, const TmpfsSize& size);

// Returns a detached clone of the mount at an open file or directory, without the mounts below it unless `recursive`.
Result<base::Fd> clone_tree(int fd, bool recursive);
// A mount can become read-only reliably only if no file was opened for writing through it: with such a file the kernel
// returns EBUSY, and a child that another thread starts has copies of all descriptors between its clone(2) and its
// exec. Therefore a tree is filled through one mount, and a clone of it is restricted and shown.
Status restrict_tree(int tree, const MountRights& rights, bool recursive);

// Attaches a detached tree at `path` beneath `root`. A link in a parent directory is an error. With `over_links` a link
// at the path itself is covered and not followed.
Status attach(int tree, int root, const std::string& path, bool over_links = false);

// openat2 with RESOLVE_NO_SYMLINKS and RESOLVE_NO_MAGICLINKS, beneath `root` (an absolute path when root is AT_FDCWD).
// With `same_mount` a path that crosses into another mount is an error, too (RESOLVE_NO_XDEV).
Result<base::Fd> open_beneath(int root, const std::string& path, int flags, bool same_mount = false);

// Makes the missing directories of `path` and returns the last directory. It follows no link and makes directories only
// on the mount of `root`: a declared mount shows the machine, whose users can make links in it at any time.
Result<base::Fd> make_directories(int root, const std::string& path);

}  // namespace band::view
