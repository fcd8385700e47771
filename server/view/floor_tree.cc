#include "server/view/floor_tree.h"

#include <fcntl.h>

#include "server/view/root.h"

namespace band::view {

Result<FloorTree> FloorTree::make(const std::string& floor, const std::vector<std::string>& tops,
                                  const std::string& place) {
  FloorTree tree;
  BAND_TRY(Root root, make_root(place, nullptr));
  tree.unmount_ = base::Undo([place] { unmount_root(place); });
  BAND_TRY(const base::Fd directory, open_beneath(AT_FDCWD, floor, O_RDONLY | O_DIRECTORY));
  BAND_CHECK(show_machine(directory.get(), root, {}));
  BAND_CHECK(show_tops(directory.get(), root, tops));
  BAND_CHECK(make_dir(root.make.get(), "band"));
  tree.root_ = std::move(root.shown);
  return tree;
}

}  // namespace band::view
