// Where a slot mounts its stages, and the floor trees (server/view/floor_tree.h) that it keeps between executions.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "schemas/core/result.h"
#include "server/execution/site.h"
#include "server/floor/command_floor.h"
#include "server/floor/floor.h"
#include "server/slot/slot.h"
#include "server/view/floor_tree.h"

namespace band::run {

class SlotMounts {
 public:
  // Call it on the slot's thread. Makes <run>/stage/<slot>, the directory of the slot's mounts. Use the result only on
  // that thread.
  static Result<SlotMounts> make(const slot::Slot& slot, const Site& site);

  // The stages make these directories.
  std::string script_place() const { return place_ + "/script"; }
  std::string command_place() const { return place_ + "/commands"; }

  // Returns the tree of this floor. The slot keeps the tree of one floor and of one command floor, so the pointer is
  // valid until the next call with another floor; views that were cloned from the tree stay valid.
  Result<const view::FloorTree*> tree_of(const std::shared_ptr<const floor::Floor>& floor);
  Result<const view::FloorTree*> tree_of(const std::shared_ptr<const floor::CommandFloor>& floor);

 private:
  struct Kept {
    // Not owned: a command floor that nothing uses is removed from the disk. The mounts of the tree keep its files.
    std::weak_ptr<const void> floor;
    view::FloorTree tree;
  };
  static Result<const view::FloorTree*> tree_in(Kept& kept, const std::shared_ptr<const void>& floor,
                                                const std::string& path, const std::vector<std::string>& tops,
                                                const std::string& place);

  explicit SlotMounts(std::string place) : place_(std::move(place)) {}

  std::string place_;
  Kept script_, commands_;
};

}  // namespace band::run
