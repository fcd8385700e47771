// The floors of one server, shared by its slots: the script views' one, and those of command views.
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
  // Command floors are kept beside config.directory: both on one file system, for hard links.
  Floors(floor::Config config, KnownPrograms known)
      : config_(std::move(config)), programs_(std::move(known)), sets_(config_.directory + "-of-commands") {}

  // At the start of the server: makes the floor and removes those of an earlier server.
  Status first();
  // Whether the machine's files have changed is looked at once a second at most.
  Result<std::shared_ptr<const floor::Floor>> current();
  // Looks now, if it is half a second ago, so that the execution that comes next need not: that is some 600 stat(2).
  void look_ahead();
  // SandboxUnavailable for commands that are not on the machine: all of them, and what to install.
  Result<std::shared_ptr<const floor::CommandFloor>> for_commands(const CommandPlan& plan);

 private:
  void tell_left_out(const floor::Program& program);

  const floor::Config config_;
  floor::Programs programs_;
  floor::CommandFloors sets_;
  std::mutex mutex_;  // of what follows
  std::shared_ptr<const floor::Floor> floor_;
  std::int64_t checked_us_ = 0;
  bool looking_ = false;
  std::map<std::string, std::string> told_;  // of programs: of which key the log knows what is left out
};

}  // namespace band::run
