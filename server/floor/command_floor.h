// The command floor: the root directory of a command view. A command view is the file tree, with namespaces of its own,
// in which the declared commands of one execution run.
//
// A *declared program* is the program of a command that a band declares in `cli`. An *essential* is a command that
// every sandbox has without a rule, such as bash or grep. An essential that a cli rule names is *shimmed*: in its
// place, PATH has the shim, which sends the command line to the broker for a check (schemas/commands/plan.h). A command
// floor is made for one set of declared programs and shimmed essentials. It contains:
//
//   /usr/bin/NAME            an essential: a link to /usr/lib/band/bin/NAME; a shimmed essential: a link to the shim
//   /usr/lib/band/bin        the essentials that are not shimmed; programs with `starts: essentials` may execute them
//                            (Starts in schemas/programs/programs.h)
//   /usr/lib/band/guarded    the shimmed essentials: a command may execute one of them only if its Command::paths names
//                            it
//   /usr/lib/band/libraries  the libraries: /usr/lib/X.so is at /usr/lib/band/libraries/usr/lib/X.so, with a link at
//                            the original path. So one Landlock rule permits every command to read all libraries, but
//                            no other file of the directories that the libraries come from. Exception: a library in a
//                            directory that the view mounts is not copied
//   other paths              the programs and their files, at the same paths as on the machine; an empty directory as
//                            mount point for each directory of the machine that the view mounts; /etc, the locale,
//                            the time zones and the dynamic linkers of the floor (floor.h: the root directory of script
//                            views)
//
// Promises: the command floor contains no other file of the machine. Root owns the command floor, and its files have no
// setuid or setgid bit. If a file changes after it was checked and before it is copied, the build fails. A command
// floor is not removed while a caller holds the shared_ptr that get() returned.
// Does not cover: making the command floor read-only, and mounting the directories (server/view); which paths a command
// may open (Landlock, with Command::paths).
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

// How to start a declared program or a shimmed essential.
struct Command {
  // The beginning of the command line, before the command's arguments. argv[0] is the file to execute.
  std::vector<std::string> argv;
  std::vector<layout::PathRule> paths;  // the paths in the view that the command may open
  std::vector<std::string> env;         // NAME=VALUE; overrides a variable of the same name from any other source
};

struct CommandFloor {
  std::string path;  // its root directory
  // The directories of the machine that the view mounts, each at the same path. No directory of the list contains
  // another one.
  std::vector<ProgramDirectory> directories;
  std::vector<std::string> tops;            // top-level entries of the root other than usr, etc, bin, lib, lib64, sbin
  std::map<std::string, Command> commands;  // by the command's base name; includes the shimmed essentials
};

// The command floors of one server. Each command floor is called a *set* here. One directory contains the sets and the
// *store*. The store contains copies of the programs' files. The files of a set are hard links to the copies in the
// store and to the files of the floor.
class CommandFloors {
 public:
  explicit CommandFloors(std::string directory) : directory_(std::move(directory)) {}

  // Removes the sets of an earlier server, and the files of the store that no set used. Call it at the start of the
  // server.
  Status clean();

  // Returns the set for this floor, these programs, and the shimmed essentials `shimmed`. Returns an existing set
  // within microseconds. Otherwise builds the set; this needs milliseconds if the store already has the files, and
  // longer if files must be copied first. Returns an error when a directory of a program would hide a file of the set,
  // or when a file was changed after find_program() checked it. `directory` (of the constructor) and the floor must be
  // on the same file system, because a hard link cannot lead to another file system. Keep the result while the set is
  // in use. Thread-safe.
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
    std::string what;  // the names of the programs and essentials; `sets_` has at most one set for these names
    std::string key;   // digest of the names and of the programs' files
  };

  static Question question_of(const Floor& floor, const std::vector<std::shared_ptr<const Program>>& programs,
                              const std::vector<std::string>& shimmed);
  std::string path_of(const Question& question) const { return directory_ + "/sets/" + question.key; }
  std::shared_ptr<const CommandFloor> recall(const Question& question);
  void keep(const Question& question, std::shared_ptr<const CommandFloor> floor);  // mutex_ is held
  void remove_unused();

  const std::string directory_;
  std::mutex building_;              // held during a build, so that two callers do not build the same set
  std::mutex mutex_;                 // guards the members below
  std::map<std::string, Set> sets_;  // by Question::what
  // Sets that are no longer in `sets_`; a caller may still hold some of them.
  std::vector<std::shared_ptr<const CommandFloor>> outdated_;
  std::uint64_t clock_ = 0;
};

}  // namespace band::floor
