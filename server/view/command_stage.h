// The stage of the command view: what the script's stage has, with the command floor in the place of the floor.
//
// Promises: it shares the workspace, /tmp, the output's directory and the declared mounts with the script's stage, with
// the same rights; it adds the programs' files and directories, read-only, and a home for each program that the script
// view does not have. Unmounted at the end of the CommandStage.
// Does not cover: which program may open which of these files; that is each command's Landlock domain.
#pragma once

#include <string>
#include <vector>

#include "server/view/stage.h"

namespace band::view {

struct CommandStagePlan {
  std::string floor;              // directory of the command floor
  std::string place;              // an empty directory of this slot
  std::vector<std::string> tops;  // what the floor has beside usr and etc
  std::vector<layout::ProgramDirectory>
      directories;  // of the machine, shown at the same place; the floor has a place for each
};

class CommandStage {
 public:
  // On the slot's thread. `script` must live longer.
  static Result<CommandStage> build(const CommandStagePlan& plan, const Stage& script);
  CommandStage() = default;

  std::string root() const { return place_ + "/root"; }
  // What any command may open: the script's paths, but of /usr nothing.
  const std::vector<layout::PathRule>& paths() const { return paths_; }

 private:
  base::Undo unmount_;
  std::string place_;
  std::vector<layout::PathRule> paths_;
};

}  // namespace band::view
