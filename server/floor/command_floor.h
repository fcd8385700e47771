// The command floor: the root of a command view. It is made for one set of declared programs and of *watched
// essentials*, which are the essentials that a cli rule names.
//
//   /usr/bin/NAME            an essential: a link to /usr/lib/band/bin/NAME; for a watched essential, to the shim
//   /usr/lib/band/bin        the other essentials; programs with `starts: essentials` may execute them
//   /usr/lib/band/guarded    the watched essentials: each is executed only in its own Landlock domain
//   /usr/lib/band/libraries  all libraries: /lib/X.so is at /usr/lib/band/libraries/lib/X.so, with a link at the
//                            original path. So one Landlock rule permits every command to read all libraries, but no
//                            other file of the directories that they come from
//   other paths              the programs and their files, at the same paths as on the machine; a mount point for each
//                            directory that the view binds; /etc, the locale and the time zones of the floor
//
// Promises: the command floor contains no other file of the machine. Root owns it, and its files have no setuid or
// setgid bit. If a file changes between its check and its copy, the build fails. A command floor is not removed while a
// caller holds it.
// Does not cover: read-only access, and the directories that the view binds (server/view); which paths a command may
// open (Landlock, with Command::paths).
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

// How to start a declared program or a watched essential.
struct Command {
  std::vector<std::string> argv;        // to put before the arguments; argv[0] is the file to execute
  std::vector<layout::PathRule> paths;  // the paths of the floor and the directories that the command may open
  std::vector<std::string> env;         // NAME=VALUE; overrides a variable of the same name from any other source
};

struct CommandFloor {
  std::string path;  // its root directory
  // Directories of the machine to bind at their own paths; none contains another.
  std::vector<ProgramDirectory> directories;
  std::vector<std::string> tops;            // top-level entries of the root other than usr and etc
  std::map<std::string, Command> commands;  // by base name; includes the watched essentials
};

// The command floors ("sets") of one server. They are below one directory, which contains a store with copies of the
// programs' files, and the sets, whose files are hard links to the copies in the store.
class CommandFloors {
 public:
  explicit CommandFloors(std::string directory) : directory_(std::move(directory)) {}

  // Call it at the start of the server: removes the sets of an earlier server, and the files of the store that no set
  // used.
  Status clean();

  // Returns the set for this floor, these programs, and the watched essentials `shimmed`. A known set is returned
  // within microseconds. Otherwise the set is built, which needs milliseconds if the store already has the files.
  // `directory` (of the constructor) must be on the file system of the floor. The caller must hold the result while it
  // is in use. Thread-safe.
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
    std::string what;  // the names of the programs and essentials; at most one set with these names is current
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
  std::vector<std::shared_ptr<const CommandFloor>> outdated_;  // not current; a caller may still hold one
  std::uint64_t clock_ = 0;
};

}  // namespace band::floor
