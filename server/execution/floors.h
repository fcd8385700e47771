// The floors of one server, shared by its slots: one for all script views, and those of command views.
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
  // Command floors are made in a directory next to config.directory, on the same file system, for hard links.
  Floors(floor::Config config, KnownPrograms known)
      : config_(std::move(config)), programs_(std::move(known)), sets_(config_.directory + "-of-commands") {}

  // Called at the start of the server: makes the floor and removes those of an earlier server.
  Status first();
  // Returns the floor of script views, rebuilt when the machine's files have changed. Checks them at most once a
  // second.
  Result<std::shared_ptr<const floor::Floor>> current();
  // Checks the machine's files now if the last check is at least half a second ago, so that the next execution does not
  // pay for it: some 600 stat(2).
  void look_ahead();
  // Returns SandboxUnavailable when commands are not on the machine; the error lists all of them and what to install.
  Result<std::shared_ptr<const floor::CommandFloor>> for_commands(const CommandPlan& plan);

 private:
  void tell_left_out(const floor::Program& program);

  const floor::Config config_;
  floor::Programs programs_;
  floor::CommandFloors sets_;
  std::mutex mutex_;  // guards the members below
  std::shared_ptr<const floor::Floor> floor_;
  std::int64_t checked_us_ = 0;
  bool looking_ = false;
  std::map<std::string, std::string> told_;  // program -> its key when its left-out files were last logged
};

}  // namespace band::run
