// A directory of the machine in which everything is opened for writing, except denied paths. It is bound whole, so that
// the script can make new files in it, with masks over the entries that must not be written or read.
//
// Promises: each denied path is covered by a read-only mount, of the entries that `read` opens in it, or an empty one.
// Every parent directory of a mask is a mount, so that the script can neither rename nor remove it, nor the mask. A
// deny with wildcards is refused, because a matching file could be made at any time. A deny on a name that does not
// exist is refused, too, because a mount needs a mount point. Also masked: names that begin with a dot, sockets, FIFOs,
// devices, directories that the slot's uid cannot list, and kernel windows. A rule that spells one of these opens it.
// Does not cover: names that begin with a dot, and entries of other users, that are made while the script runs. From
// outside the view a mask can be lifted: by removing the entry that it covers, or by renaming a directory above it
// (masks.h checks for this at the end).
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/view/declared_mounts.h"
#include "server/view/opening.h"
#include "server/view/walk.h"

namespace band::view {

// Binds the entries that one use opens below a directory that is not bound whole (declared.cc).
class Composer {
 public:
  virtual ~Composer() = default;
  // Returns true when all entries, present and future, may be shown: the caller then binds the directory, or one above
  // it. Returns false when the entries that may be shown have been bound.
  virtual Result<bool> directory(const std::string& path) = 0;
};

class WritableTree {
 public:
  struct Parts {
    const Opening &read, &write;
    Composer &reading, &writing;
    const FollowedLinks& links;
    Budget& budget;
    DeclaredMounts& mounts;
  };
  // Binds `root`, for which write.opens_tree() is true, with its masks. A root that cannot be listed is left out.
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
