// A directory of the machine in which everything may be written, except denied paths. The directory is bound whole (one
// bind mount shows the directory itself, declared.h), so that the script can make new files in it. Masks (read-only
// mounts, masks.h) cover the entries that must not be written or read.
//
// Promises: each path that must not be written is covered by a read-only mount. This mount shows the entries that the
// `read` rules allow; if they allow none, the mount is empty. Every directory between the tree's root and a mask is a
// mount of its own, so that the script can rename or remove neither this directory nor the mask. A deny with wildcards
// is refused, because the script could make a matching file, which would have no mask, at any time. A deny on a name
// that does not exist is refused, too, because a mask needs an existing entry as its mount point. Also masked: names
// that begin with a dot (unless a rule contains the name), sockets, FIFOs, devices, directories that the slot's uid
// cannot list, and kernel windows (file systems such as proc that store no files, walk.h).
// Does not cover: entries whose names begin with a dot, and entries of other users, that are made while the script
// runs: these entries have no mask. A process outside the sandbox can lift a mask by removing the entry that the mask
// covers, or by renaming a directory above this entry. For masks that a deny requires, check_masks() detects this after
// the run.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/view/declared_mounts.h"
#include "server/view/opening.h"
#include "server/view/walk.h"

namespace band::view {

// Composes a directory for one use, reading or writing: binds the entries below the directory that are open for this
// use (opening.h). declared.cc implements it.
class Composer {
 public:
  virtual ~Composer() = default;
  // Returns true when all entries of `path`, present and future, may be shown; the caller then binds the directory
  // itself or one of its parent directories. Otherwise returns false; the entries that may be shown are then already
  // bound.
  virtual Result<bool> directory(const std::string& path) = 0;
};

class WritableTree {
 public:
  struct Parts {
    // The open paths for each use, and the Composer for the same use.
    const Opening &read, &write;
    Composer &reading, &writing;
    const FollowedLinks& links;
    Budget& budget;
    DeclaredMounts& mounts;
  };
  // Adds the mounts for the directory `root` to Parts::mounts: a bind mount of `root`, for which write.opens_tree()
  // must be true, and the masks below it. Adds nothing if the slot may not list `root`.
  static Status show(const std::string& root, const Parts& parts);

 private:
  struct Below {
    bool listed = false;
    bool masked = false;  // it contains a mask
  };
  enum class Kind { Gone, Link, File, Directory, MaskedFile, MaskedDirectory };

  WritableTree(std::string root, const Parts& parts) : root_(std::move(root)), parts_(parts) {}
  Result<Below> directory(const std::string& path, bool readable);
  Result<bool> entry(int dir, const std::string& path, const std::string& name, bool readable);
  Result<bool> subdirectory(const std::string& path, bool is_mount, bool readable);
  Kind look(int dir, const std::string& path, const std::string& name, bool is_mount) const;
  Status mask(const std::string& path, bool is_directory, bool readable);
  Status compose(const std::string& path, bool readable);
  std::string denied_by(const std::string& path) const;
  Status check_denies() const;
  Status check_deny(const PathPattern& deny, const std::string& root, bool of_write) const;
  bool is_masked(const std::string& path) const;

  std::string root_;
  const Parts& parts_;
  std::vector<std::string> masked_;
};

}  // namespace band::view
