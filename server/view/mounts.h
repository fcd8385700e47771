// Wrappers for the system calls of the kernel's new mount API. A tree of mounts is first made *detached*: it is in no
// mount namespace and is reached only through its descriptor. The tree is then restricted, and only then attached.
// Therefore no process ever sees a mount with more than its final rights (MountRights). See open_tree(2),
// move_mount(2), mount_setattr(2), fsopen(2), openat2(2). Together these system calls need Linux 5.12.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "schemas/core/result.h"
#include "server/base/fd.h"

namespace band::view {

// What a mount permits. A mount is always nosuid.
struct MountRights {
  bool writable = false;
  bool executable = false;
  bool devices = false;  // device files can be used
};

struct TmpfsSize {
  std::int64_t bytes = 0;
  std::int64_t inodes = 0;
};

// Returns a detached tmpfs. Its root directory belongs to root:root and has the mode 0755. The mount is nosuid, and is
// read-only, noexec or nodev unless `rights` permit writing, execution or devices. Both limits in `size` are enforced.
// (bubblewrap's option --tmpfs limits only the bytes, and empty files use none: 200,000 empty files fit into a tmpfs of
// one megabyte.)
Result<base::Fd> make_tmpfs(const TmpfsSize& size, const MountRights& rights);
// Changes the limits of the tmpfs at the descriptor `tree`. Returns an error when the tmpfs already contains more than
// `size`. See fspick(2).
Status resize_tmpfs(int tree, const TmpfsSize& size);

// Returns a detached, read-only overlayfs that shows the directory `directory`, and below it the directory `below`
// (overlay.h). Both are descriptors of directories in the mount namespace of the calling thread. They must not be on
// the same path. The mount is nosuid, and is noexec or nodev unless `rights` permit execution or devices. With
// `writable`, the mount is not marked as read-only, so that devices can be opened for writing; its files still cannot
// be changed. Returns an error with a hint if the kernel has no overlayfs.
Result<base::Fd> make_overlay(int directory, int below, const MountRights& rights);

// Returns a detached mount of the file or directory to which `fd` refers. With `recursive`, the mounts below it are
// included.
Result<base::Fd> clone_tree(int fd, bool recursive);
// Sets the rights of the mount `tree`; with `recursive` also of the mounts in it. A mount that is already read-only
// stays read-only. A mount can become read-only only while no file is open for writing through this mount; otherwise
// the kernel returns EBUSY. Closing the file first is not enough: a child process that another thread starts has copies
// of all descriptors between its clone(2) and its exec. Therefore files are written through one mount, and the view
// gets a clone of this mount, on which restrict_tree() was called.
Status restrict_tree(int tree, const MountRights& rights, bool recursive);

// Attaches a detached tree at `path` beneath the directory `root` (absolute, if `root` is AT_FDCWD). Returns an error
// when `path` does not exist, or when a parent directory of `path` is a link. If `path` itself is a link, the mount
// covers the link when `over_links` is true; otherwise an error is returned.
Status attach(int tree, int root, const std::string& path, bool over_links = false);

// Opens `path` beneath the directory `root` with openat2(2). If `root` is AT_FDCWD, `path` must be absolute. Follows no
// link (RESOLVE_NO_SYMLINKS, RESOLVE_NO_MAGICLINKS). With `same_mount` (RESOLVE_NO_XDEV), a path that leads into
// another mount is an error, too. Error::err is the errno of openat2(2).
Result<base::Fd> open_beneath(int root, const std::string& path, int flags, bool same_mount = false);

// Creates the file `path` beneath the directory `root`, on the mount of `root`, and opens it for writing. Follows no
// link. Error::err is ENOENT if the parent directory is missing, and EEXIST if the file exists.
Result<base::Fd> create_beneath(int root, const std::string& path, mode_t mode);

// Makes the missing directories of `path` beneath `root` (0755) and returns the last directory (O_PATH). Follows no
// link. Makes directories only on the mount of `root`, and never on another mount below it. Such a mount may be a
// directory of the machine that the band declares, in which users of the machine can make links at any time.
Result<base::Fd> make_directories(int root, const std::string& path);

}  // namespace band::view
