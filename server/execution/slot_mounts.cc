#include "server/execution/slot_mounts.h"

#include <sys/stat.h>

#include <cerrno>

namespace band::run {

Result<SlotMounts> SlotMounts::make(const slot::Slot& slot, const Site& site) {
  SlotMounts mounts(site.config.run_dir + "/stage/" + std::to_string(slot.index()));
  if (::mkdir(mounts.place_.c_str(), 0700) != 0 && errno != EEXIST)
    return layer_error("view", "cannot make " + mounts.place_, errno);
  BAND_TRY(view::Overlays overlays, view::Overlays::make(site.config.state_dir + "/empty", mounts.place_ + "/dev"));
  mounts.overlays_ = std::make_unique<const view::Overlays>(std::move(overlays));
  return mounts;
}

Result<const view::FloorTree*> SlotMounts::tree_of(const std::shared_ptr<const floor::Floor>& floor) {
  return tree_in(script_, floor, floor->path, {}, place_ + "/floor");
}

Result<const view::FloorTree*> SlotMounts::tree_of(const std::shared_ptr<const floor::CommandFloor>& floor) {
  return tree_in(commands_, floor, floor->path, floor->tops, place_ + "/command-floor");
}

Result<const view::FloorTree*> SlotMounts::tree_in(Kept& kept, const std::shared_ptr<const void>& floor,
                                                   const std::string& path, const std::vector<std::string>& tops,
                                                   const std::string& place) const {
  if (kept.floor.lock() != floor) {
    kept.floor.reset();
    kept.tree = {};  // unmounts the tree of the previous floor, which is at the same place
    BAND_TRY(kept.tree, view::FloorTree::make(*overlays_, path, tops, place));
    kept.floor = floor;
  }
  return &kept.tree;
}

}  // namespace band::run
