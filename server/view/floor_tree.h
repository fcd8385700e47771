// The mounts that all views of a floor have in common. A view is the file system of one sandbox. A floor is a directory
// with copies of the machine's programs and libraries and a minimal /etc; each view shows the floor's /usr and /etc.
// The mounts are: the floor's /usr and /etc, the devices in /dev, and the root directory, in which there are mount
// points for the other parts of a view (/proc, /tmp, /work and /band). A slot (the place for one execution at a time)
// makes this tree of mounts once, and each view gets a clone of it. This saves 0.1 ms for each view.
//
// Promises: the tree contains no file of a request, and it is read-only except for the devices. Therefore no execution
// can leave anything in it for a later execution. Floor and devices are shown through overlays of the slot, so that no
// other slot and no program of the machine uses the same inodes (overlay.h). The views of a slot share these inodes.
// Does not cover: views with declared mounts (paths of the machine, declared.h) or with a controlling terminal. A
// declared mount may need a mount point among the entries of the floor, and the terminal needs one in /dev. The tree
// does not have these mount points. Therefore all mounts of such a view are made for this view alone, from layers().
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"
#include "server/base/undo.h"
#include "server/view/overlay.h"
#include "server/view/root.h"

namespace band::view {

class FloorTree {
 public:
  // Call it on the slot's thread: the tree is mounted at the directory `place` in the mount namespace of the calling
  // thread. `overlays`: those of the slot; they must outlive the tree. `floor`: the directory of the floor of script
  // views, or of a command floor (the floor of the views in which declared commands run, server/floor/command_floor.h).
  // `tops`: the top-level entries of a command floor other than usr and etc.
  static Result<FloorTree> make(const Overlays& overlays, const std::string& floor,
                                const std::vector<std::string>& tops, const std::string& place);
  // Returns a descriptor of the root of the tree, for clone_tree() (mounts.h).
  int root() const { return root_.get(); }
  Layers layers() const { return {floor_.get(), overlays_->devices()}; }
  const Overlays& overlays() const { return *overlays_; }

 private:
  base::Undo unmount_;
  const Overlays* overlays_ = nullptr;
  base::Fd floor_, root_;
};

}  // namespace band::view
