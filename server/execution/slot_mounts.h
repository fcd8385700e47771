// The directories at which a slot (the place for one execution at a time) mounts the file trees of its sandboxes, and
// what the slot keeps between executions: the overlays through which it shows shared files (server/view/overlay.h), and
// the floor trees. A floor is a directory with the programs that a sandbox shows. A floor tree is the set of mounts
// that sandboxes with the same floor have in common (server/view/floor_tree.h).
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
  // Call it on the slot's thread. Makes <run>/stage/<slot>, the directory of the slot's mounts, and <state>/empty, the
  // empty layer of its overlays. Use the result only on that thread.
  static Result<SlotMounts> make(const slot::Slot& slot, const Site& site);

  // The places of the file trees (stages) of the script and of the declared commands. Building a stage makes the
  // directory.
  std::string script_place() const { return place_ + "/script"; }
  std::string command_place() const { return place_ + "/commands"; }

  // Returns the tree of this floor; makes it if the slot does not have it. The slot keeps the tree of one floor and
  // that of one command floor. A call of the same function with another floor unmounts the old tree; the pointer is
  // then invalid. The clones of the old tree in existing views stay mounted.
  Result<const view::FloorTree*> tree_of(const std::shared_ptr<const floor::Floor>& floor);
  Result<const view::FloorTree*> tree_of(const std::shared_ptr<const floor::CommandFloor>& floor);

 private:
  struct Kept {
    // Not owned, so that a command floor that no execution uses can be removed from the disk. Its `tree` is then not
    // used again.
    std::weak_ptr<const void> floor;
    view::FloorTree tree;
  };
  Result<const view::FloorTree*> tree_in(Kept& kept, const std::shared_ptr<const void>& floor, const std::string& path,
                                         const std::vector<std::string>& tops, const std::string& place) const;

  explicit SlotMounts(std::string place) : place_(std::move(place)) {}

  std::string place_;
  std::unique_ptr<const view::Overlays> overlays_;  // the trees have its address
  Kept script_, commands_;
};

}  // namespace band::run
