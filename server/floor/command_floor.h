// The command floor: the root of a command view, made for one set of declared programs and watched essentials (the
// essentials that a rule names).
//
//   /usr/bin/NAME            an essential: a link to /usr/lib/band/bin/NAME, or to the shim when a rule names it
//   /usr/lib/band/bin        the essentials that no rule names; programs with `starts: essentials` may execute them
//   /usr/lib/band/guarded    those that a rule names: each is executed only in its own Landlock domain
//   /usr/lib/band/libraries  all libraries, below it at their own paths, with a link at the original path: one Landlock
//                            rule lets every command read them, and no other file of their original directories
//   other paths              the programs and their files at the machine's paths; a mount point for each directory that
//                            the view binds; /etc, the locale and the time zones of the floor
//
// Promises: it contains no other file of the machine; root owns it, and its files have no setuid or setgid bit; a file
// that changed between its check and its copy is an error; a set is not removed while a caller holds it.
// Does not cover: keeping it read-only and binding the directories, which the view does. Command::paths lists the paths
// of each command, which Landlock enforces.
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
  std::vector<std::string> argv;        // precedes the arguments; argv[0] is the file to execute
  std::vector<layout::PathRule> paths;  // the paths of the floor and the directories that it may open
  std::vector<std::string> env;         // NAME=VALUE, overrides all other variables
};

struct CommandFloor {
  std::string path;                           // its root directory
  std::vector<ProgramDirectory> directories;  // directories of the machine to bind at the same path; not nested
  std::vector<std::string> tops;              // top-level entries of the root other than usr and etc
  std::map<std::string, Command> commands;    // by base name; includes the essentials that a rule names
};

// The sets of one server, below one directory: a store of file copies, and the sets, which are made of hard links to
// these.
class CommandFloors {
 public:
  explicit CommandFloors(std::string directory) : directory_(std::move(directory)) {}

  // Called at the start of the server: removes the sets of an earlier server, and stored files that no set used.
  Status clean();

  // Returns the set for this floor, these programs and watched essentials: from memory within microseconds, otherwise
  // it is built, within milliseconds when the store has the files. The directory must be on the floor's file system.
  // The caller must hold the result while it is in use. Thread-safe.
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
    std::string what;  // the names of programs and essentials; only one set for these names is current
    std::string key;   // digest of the names and of the programs' files
  };

  static Question question_of(const Floor& floor, const std::vector<std::shared_ptr<const Program>>& programs,
                              const std::vector<std::string>& shimmed);
  std::string path_of(const Question& question) const { return directory_ + "/sets/" + question.key; }
  std::shared_ptr<const CommandFloor> recall(const Question& question);
  void keep(const Question& question, std::shared_ptr<const CommandFloor> floor);  // mutex_ is held
  void remove_unused();

  const std::string directory_;
  std::mutex building_;              // one build at a time, so that two callers do not build the same set
  std::mutex mutex_;                 // guards the members below
  std::map<std::string, Set> sets_;  // by Question::what
  std::vector<std::shared_ptr<const CommandFloor>> outdated_;  // may still be in use
  std::uint64_t clock_ = 0;
};

}  // namespace band::floor
