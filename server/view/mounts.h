// Wrappers for the new mount API. A tree of mounts is first made detached, then restricted, and only then attached; so
// no process ever sees a mount with more than its final rights. See open_tree(2), move_mount(2), mount_setattr(2),
// fsopen(2), openat2(2). Together they need Linux 5.12.
#pragma once

#include <cstdint>
#include <string>

#include "schemas/core/result.h"
#include "server/base/fd.h"

namespace band::view {

struct MountRights {
  bool writable = false;
  bool executable = false;
  bool devices = false;  // device files can be used; a mount is always nosuid
};

struct TmpfsSize {
  std::int64_t bytes = 0;
  std::int64_t inodes = 0;
};

// Returns a detached tmpfs, root:root 0755, nosuid; also nodev and noexec unless `rights` permit devices and execution.
// Both sizes are enforced. (--tmpfs of bubblewrap has no limit on inodes: 200,000 empty files fit into one megabyte.)
Result<base::Fd> make_tmpfs(const TmpfsSize& size, const MountRights& rights);
// Changes the limits of the tmpfs at the descriptor `tree`. Returns an error when the tmpfs already contains more than
// `size`. See fspick(2).
Status resize_tmpfs(int tree, const TmpfsSize& size);

// Returns a detached clone of the mount at `fd`, an open file or directory. With `recursive` the clone includes the
// mounts below `fd`.
Result<base::Fd> clone_tree(int fd, bool recursive);
// Sets the rights of a detached tree. A mount can become read-only only while no file is open for writing through this
// mount; otherwise the kernel returns EBUSY. Closing the file first is not enough: a child process that another thread
// starts has copies of all descriptors between its clone(2) and its exec. Therefore files are written through one
// mount, and a clone of that mount is restricted and shown.
Status restrict_tree(int tree, const MountRights& rights, bool recursive);

// Attaches a detached tree at `path` beneath `root`. Returns an error when a parent directory of `path` is a link. If
// `path` itself is a link, it is covered by the mount with `over_links`, and is an error without.
Status attach(int tree, int root, const std::string& path, bool over_links = false);

// openat2 with RESOLVE_NO_SYMLINKS and RESOLVE_NO_MAGICLINKS, beneath `root` (an absolute path when root is AT_FDCWD).
// With `same_mount` (RESOLVE_NO_XDEV) a path that leads into another mount is an error, too.
Result<base::Fd> open_beneath(int root, const std::string& path, int flags, bool same_mount = false);

// Makes the missing directories of `path` and returns the last directory. Follows no link and makes directories only on
// the mount of `root`, never in a declared mount: a declared mount shows a directory of the machine, in which users of
// the machine can make links at any time.
Result<base::Fd> make_directories(int root, const std::string& path);

}  // namespace band::view
