// A directory of the machine in which everything is opened for writing but what is denied there: bound whole, so that
// new names can be made in it, with masks over what must not be written or seen.
//
// Promises: over what a deny names lies a read-only mount, of what `read` opens of it or of nothing. Every directory on
// the way to a mask is a mount, so that the script can neither rename nor remove it; neither can it the mask. A deny
// whose names could be made at any time is refused, and so is one whose name does not exist: nothing can be mounted
// there. Covered as well: names that begin with a dot, sockets, FIFOs, devices, what the slot's uid cannot list, file
// systems that are kernel windows. A rule that spells one of these opens it.
// Does not cover: names that begin with a dot, and whatever others make there, that come into being while the script
// runs. From outside of the view a mask can be lifted: by removing what it lies on, or by renaming a directory above
// (masks.h looks for that at the end).
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/view/declared_mounts.h"
#include "server/view/opening.h"
#include "server/view/walk.h"

namespace band::view {

// Composes what one use opens below a directory that is not bound whole (declared.cc).
class Composer {
 public:
  virtual ~Composer() = default;
  // True: everything in it may be shown, and whatever will be; the caller binds it, or a directory above it. False:
  // what may be shown of it has been bound.
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
  // Of `root`, which write.opens_tree(). A root that cannot be listed is left out.
  static Status show(const std::string& root, const Parts& parts);

 private:
  struct Below {
    bool listed = false;
    bool masked = false;  // there is a mask in it
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
