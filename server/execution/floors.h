// The floors of one server. A floor is a directory with copies of programs of the machine and their libraries, which
// sandboxes show as their read-only root. All slots of the server use the same floors: one floor for all scripts, and
// one command floor for each set of declared programs (docs/architecture.md 7, floor). Floors is thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "schemas/commands/plan.h"
#include "schemas/core/result.h"
#include "server/floor/command_floor.h"
#include "server/floor/floor.h"

namespace band::run {

class Floors {
 public:
  // `known`: the directories in which programs are searched, and the data that certain programs need
  // (schemas/programs). Command floors are made in the directory `<config.directory>-of-commands`. This directory must
  // be on the file system of config.directory, because command floors contain hard links to files of the floor.
  Floors(floor::Config config, KnownPrograms known)
      : config_(std::move(config)), programs_(std::move(known)), sets_(config_.directory + "-of-commands") {}

  // Makes the floor, and removes the floors and command floors that an earlier server made. Call first() when the
  // server starts.
  Status first();
  // Returns the floor of scripts. If the machine's files from which the floor was made have changed, builds a new floor
  // first. Checks these files at most once a second.
  Result<std::shared_ptr<const floor::Floor>> current();
  // Checks the machine's files now if the previous check was at least half a second ago. Call look_ahead() between
  // executions. The next execution then usually need not check the files, which saves it some 600 calls of stat(2).
  void look_ahead();
  // Returns the command floor for the commands that `plan` declares; makes this floor first if it does not exist.
  // Returns an error when declared commands cannot be used, for example because their programs are not installed on the
  // machine. The error lists these commands, at most 50, and the packages to install.
  Result<std::shared_ptr<const floor::CommandFloor>> for_commands(const CommandPlan& plan);

 private:
  void log_left_out(const floor::Program& program);

  const floor::Config config_;
  floor::Programs programs_;
  floor::CommandFloors sets_;
  std::mutex mutex_;  // guards the members below
  std::shared_ptr<const floor::Floor> floor_;
  std::int64_t checked_us_ = 0;
  bool looking_ = false;  // a thread is checking the machine's files in look_ahead()
  // Name of a program -> floor::Program::key of the state for which the program's missing files were last logged.
  std::map<std::string, std::string> logged_;
};

}  // namespace band::run
