// The stage of the command view. The command stage is like the script's stage (stage.h), but has the command floor
// (server/floor/command_floor.h) in place of the floor.
//
// Promises: the command stage shows the same workspace, /tmp, /band and declared mounts as the script's stage, with the
// same rights. In addition, the command stage shows the files and directories of the declared programs, read-only, and
// a home directory for each program. The script's stage does not show these additions. The destructor of CommandStage
// unmounts the command stage.
// Does not cover: which command may open which of these files; the Landlock domain of the command restricts this.
#pragma once

#include <string>
#include <vector>

#include "server/view/stage.h"

namespace band::view {

struct CommandStagePlan {
  std::string floor;                // directory of the command floor
  const FloorTree* tree = nullptr;  // the tree with this floor and `tops`; null: build() makes all mounts of the view
  std::string place;                // an empty directory that belongs to this slot
  std::vector<std::string> tops;    // top-level entries of the command floor other than usr and etc
  // Directories of the machine, mounted at their own paths. The command floor has a mount point for each directory.
  std::vector<layout::ProgramDirectory> directories;
};

class CommandStage {
 public:
  // Call it on the slot's thread. `script` (the script's stage) must outlive the result.
  static Result<CommandStage> build(const CommandStagePlan& plan, const Stage& script);
  CommandStage() = default;

  int root() const { return root_.shown.get(); }  // the topmost mount of the view
  // The paths that every command may open: those that the script may open, except /usr and the controlling terminal.
  const std::vector<layout::PathRule>& paths() const { return paths_; }

 private:
  base::Undo unmount_;
  Root root_;
  std::vector<layout::PathRule> paths_;
};

}  // namespace band::view
