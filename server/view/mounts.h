// The new mount API in band's terms: trees that are made detached, restricted, and only then attached, so that nothing
// is ever visible with wider rights than it ends with. See open_tree(2), move_mount(2), mount_setattr(2), fsopen(2),
// openat2(2). All need Linux 5.12.
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

// A detached tmpfs, root:root 0755: nosuid and nodev, noexec unless said. Both sizes are walls: bubblewrap's own
// --tmpfs has no cap on inodes, and 200,000 empty files fit into its megabyte.
Result<base::Fd> make_tmpfs(const TmpfsSize& size, const MountRights& rights);
// The walls of the tmpfs at whose mount `tree` is open, from now on. An error where it holds more already. See
// fspick(2).
Status resize_tmpfs(int tree, const TmpfsSize& size);

// A detached clone of the mount at an open file or directory, without what is mounted below it (unless `recursive`).
Result<base::Fd> clone_tree(int fd, bool recursive);
// Only what nobody has written through can become read-only for sure: a mount with a file open for writing is EBUSY,
// and a child that another thread starts has copies of our descriptors between its clone(2) and its exec. So a tree is
// filled through one mount, and a clone of it restricted and shown.
Status restrict_tree(int tree, const MountRights& rights, bool recursive);

// Attaches a detached tree at `path` beneath `root`, which may hold no link on the way. With `over_links` a link at the
// path itself is covered and not followed.
Status attach(int tree, int root, const std::string& path, bool over_links = false);

// openat2 with RESOLVE_NO_SYMLINKS and RESOLVE_NO_MAGICLINKS, beneath `root` (an absolute path when root is AT_FDCWD).
// With `same_mount` a path that crosses into another mount is an error, too (RESOLVE_NO_XDEV).
Result<base::Fd> open_beneath(int root, const std::string& path, int flags, bool same_mount = false);

// Makes the directories of `path` that are missing, never through a link and never on another mount than root's: a
// declared mount is the machine's, and the machine's users can put links into it at any moment. Returns the last one.
Result<base::Fd> make_directories(int root, const std::string& path);

}  // namespace band::view
