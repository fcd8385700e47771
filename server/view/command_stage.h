// The stage of the command view: like the script's stage, with the command floor in place of the floor.
//
// Promises: it shares the workspace, /tmp, the output's directory and the declared mounts with the script's stage, with
// the same rights; it adds the programs' files and directories, read-only, and a home for each program, which the
// script view does not show. The destructor of CommandStage unmounts it.
// Does not cover: which program may open which of these files; that is each command's Landlock domain.
#pragma once

#include <string>
#include <vector>

#include "server/view/stage.h"

namespace band::view {

struct CommandStagePlan {
  std::string floor;              // directory of the command floor
  std::string place;              // an empty directory of this slot
  std::vector<std::string> tops;  // top-level entries of the floor other than usr and etc
  std::vector<layout::ProgramDirectory>
      directories;  // directories of the machine, mounted at the same path; the floor has a mount point for each
};

class CommandStage {
 public:
  // Call it on the slot's thread. `script` must outlive the result.
  static Result<CommandStage> build(const CommandStagePlan& plan, const Stage& script);
  CommandStage() = default;

  std::string root() const { return place_ + "/root"; }
  // The paths that every command may open: those of the script, without /usr.
  const std::vector<layout::PathRule>& paths() const { return paths_; }

 private:
  base::Undo unmount_;
  std::string place_;
  std::vector<layout::PathRule> paths_;
};

}  // namespace band::view
