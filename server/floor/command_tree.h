// Plans the content of a command floor (command_floor.h); makes no files.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "server/floor/command_floor.h"

namespace band::floor {

// Paths in the tree have no leading '/'.
struct Tree {
  std::map<std::string, std::string> floor_files;  // path -> absolute path of a file of the floor
  std::map<std::string, ProgramFile> files;        // path -> file of the machine
  std::map<std::string, std::string> links;        // path -> target
  std::set<std::string> places;                    // empty directories, as mount points
};

// Returns the content of the command floor, and sets all members of `made` except `path`. Returns an error when a
// directory that the view binds would hide a file or link of the command floor.
Result<Tree> plan_tree(const Floor& floor, const std::vector<std::shared_ptr<const Program>>& programs,
                       const std::set<std::string>& shimmed, CommandFloor& made);

}  // namespace band::floor
