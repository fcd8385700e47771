// What a command floor consists of (command_floor.h), before anything is made.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "server/floor/command_floor.h"

namespace band::floor {

// Paths in the tree have no leading '/'.
struct Tree {
  std::map<std::string, std::string> floor_files;  // absolute paths of files of the floor
  std::map<std::string, ProgramFile> files;        // of the machine
  std::map<std::string, std::string> links;        // targets
  std::set<std::string> places;                    // directories that others are bound on
};

// Also fills in all of `made` but its path. An error when a directory that is to be bound would hide the floor's own.
Result<Tree> plan_tree(const Floor& floor, const std::vector<std::shared_ptr<const Program>>& programs,
                       const std::set<std::string>& shimmed, CommandFloor& made);

}  // namespace band::floor
