// The command stage: the stage of the command view. A stage is the finished file tree of one view, which becomes the
// root of the view. The script runs in the script view, and its declared commands in the command view. The command
// stage is like the script's stage (stage.h), but has the command floor in place of the floor. A floor is a directory
// with copies of the machine's programs and libraries and a minimal /etc, which a stage shows read-only. The command
// floor (server/floor/command_floor.h) also has the declared programs.
//
// Promises: the command stage shows the same workspace, /tmp, /band and declared mounts (declared.h) as the script's
// stage, with the same rights. In addition, the command stage shows the files and directories of the declared programs,
// read-only, and a home directory for each program. The script's stage does not show these additions. The destructor of
// CommandStage unmounts the command stage.
// Does not cover: which command may open which of these files; the Landlock domain of the command restricts this.
#pragma once

#include <string>
#include <vector>

#include "server/view/stage.h"

namespace band::view {

struct CommandStagePlan {
  // The command floor. build() clones the mounts of the tree. If the script's stage has declared mounts, build() makes
  // these mounts itself.
  const FloorTree* tree = nullptr;
  std::string place;              // an empty directory that belongs to this slot; build() makes it if it is missing
  std::vector<std::string> tops;  // top-level entries of the command floor other than usr and etc
  // Directories of the machine that the declared programs need, shown at their own paths, each through an overlay of
  // this stage (overlay.h). The command floor has a mount point for each directory.
  std::vector<layout::ProgramDirectory> directories;
};

class CommandStage {
 public:
  // Call it on the slot's thread: the stage is mounted in the mount namespace of the calling thread. `script` (the
  // script's stage) must outlive the result.
  static Result<CommandStage> build(const CommandStagePlan& plan, const Stage& script);
  CommandStage() = default;

  // Returns a descriptor of the root of the stage. All other mounts of the view are attached below it.
  int root() const { return root_.shown.get(); }
  // The paths that every command may open: those that the script may open, except /usr and the controlling terminal.
  const std::vector<layout::PathRule>& paths() const { return paths_; }

 private:
  base::Undo unmount_;
  Root root_;
  std::vector<layout::PathRule> paths_;
};

}  // namespace band::view
