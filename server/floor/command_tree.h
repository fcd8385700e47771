// Plans the content of a command floor (the root directory in which declared commands run: command_floor.h). Creates no
// files.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "server/floor/command_floor.h"

namespace band::floor {

// Paths in the tree have no leading '/'.
struct Tree {
  std::map<std::string, std::string> floor_files;  // path -> absolute path of the file in `floor`
  std::map<std::string, ProgramFile> files;        // path -> the machine's file
  std::map<std::string, std::string> links;        // path -> target
  std::set<std::string> places;                    // paths of empty directories, as mount points
};

// Returns the content of the command floor, and sets all members of `made` except `path`. `shimmed`: the names of the
// shimmed essentials. Returns an error when a directory of the machine that the view mounts would hide a file or link
// of the command floor.
Result<Tree> plan_tree(const Floor& floor, const std::vector<std::shared_ptr<const Program>>& programs,
                       const std::set<std::string>& shimmed, CommandFloor& made);

}  // namespace band::floor
