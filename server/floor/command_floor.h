// The command floor: the root of a command view, made for one set of declared programs and watched essentials.
//
//   /usr/bin/NAME            an essential: a link to /usr/lib/band/bin/NAME, or to the shim when rules watch it
//   /usr/lib/band/bin        the essentials that no rule names; what `starts: essentials` may execute
//   /usr/lib/band/guarded    those that a rule names: each is executed in a domain of its own only
//   /usr/lib/band/libraries  all libraries, below it at their own paths, and a link at each of those: one Landlock rule
//                            lets every command read them, and nothing else of the directories that they come from
//   elsewhere                the programs and their files where the machine has them; a place for each directory that
//                            the view binds; /etc, the locale and the zones of the floor
//
// Promises: it holds nothing else of the machine; it is root's, its files have no setuid or setgid bit; what was looked
// at is what is copied, or it is an error; a set that anybody still holds is not removed.
// Does not cover: keeping it read-only, and binding the directories: the view's. Which command may open what is in
// Command::paths, and Landlock's to keep.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/floor/floor.h"
#include "server/floor/program.h"

namespace band::floor {

// How a program, or a watched essential, is started.
struct Command {
  std::vector<std::string> argv;        // stands before the arguments; argv[0] is the file to execute
  std::vector<layout::PathRule> paths;  // all that it may open of the floor and the directories
  std::vector<std::string> env;         // NAME=VALUE, stronger than all other variables
};

struct CommandFloor {
  std::string path;                           // of its root directory
  std::vector<ProgramDirectory> directories;  // of the machine, to be bound at the same place; none is inside another
  std::vector<std::string> tops;              // what the root has beside usr and etc
  std::map<std::string, Command> commands;    // by base name, and so the essentials
};

// The sets of one server, below one directory: a store of the files that sets are made of by hard links, and the sets.
class CommandFloors {
 public:
  explicit CommandFloors(std::string directory) : directory_(std::move(directory)) {}

  // At the start of the server: removes the sets of an earlier one, and the files that it had no more use for.
  Status clean();

  // From memory, in microseconds, when there is one of the same floor, programs and essentials; else it is built, in
  // milliseconds when the store has the files. On the floor's file system. Hold the result as long as it is in use.
  // For any thread.
  Result<std::shared_ptr<const CommandFloor>> get(const Floor& floor,
                                                  const std::vector<std::shared_ptr<const Program>>& programs,
                                                  const std::vector<std::string>& shimmed);

 private:
  struct Set {
    std::string key;
    std::shared_ptr<const CommandFloor> floor;
    std::uint64_t used = 0;
  };

  struct Question {
    std::string what;  // the names: one set of them is current
    std::string key;   // what they stand for
  };

  static Question question_of(const Floor& floor, const std::vector<std::shared_ptr<const Program>>& programs,
                              const std::vector<std::string>& shimmed);
  std::string path_of(const Question& question) const { return directory_ + "/sets/" + question.key; }
  std::shared_ptr<const CommandFloor> recall(const Question& question);
  void keep(const Question& question, std::shared_ptr<const CommandFloor> floor);  // mutex_ is held
  void remove_unused();

  const std::string directory_;
  std::mutex building_;              // one at a time, so that two who ask for the same do not both build
  std::mutex mutex_;                 // of what follows
  std::map<std::string, Set> sets_;  // by Question::what
  std::vector<std::shared_ptr<const CommandFloor>> outdated_;  // perhaps still in use
  std::uint64_t clock_ = 0;
};

}  // namespace band::floor
