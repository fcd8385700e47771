#include "server/view/floor_tree.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

namespace band::view {

// The overlay is attached, because before Linux 6.15 only an attached mount can be cloned. Its mount point is on the
// tmpfs of the root, so it is unmounted with the tree.
Result<FloorTree> FloorTree::make(const Overlays& overlays, const std::string& floor,
                                  const std::vector<std::string>& tops, const std::string& place) {
  FloorTree tree;
  tree.overlays_ = &overlays;
  BAND_TRY(Root root, make_root(place, nullptr));
  tree.unmount_ = base::Undo([place] { unmount_root(place); });
  const std::string inside = place + "/floor";
  if (::mkdir(inside.c_str(), 0700) != 0) return layer_error("view", "cannot make " + inside, errno);
  BAND_TRY(const base::Fd directory, open_beneath(AT_FDCWD, floor, O_PATH | O_DIRECTORY));
  BAND_TRY(tree.floor_, overlays.over(directory.get(), {.executable = true}));
  BAND_CHECK(attach(tree.floor_.get(), AT_FDCWD, inside));
  BAND_CHECK(show_machine(tree.layers(), root, {}));
  BAND_CHECK(show_tops(tree.floor_.get(), root, tops));
  BAND_CHECK(make_dir(root.make.get(), "band"));
  tree.root_ = std::move(root.shown);
  return tree;
}

}  // namespace band::view
