// Where the commands of one execution run: the broker's door and, when commands are declared, the view behind it with
// its holder. Nothing in it comes from a request but its rules, so that it can be made ahead.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "schemas/core/result.h"
#include "server/broker/door.h"
#include "server/execution/sandbox.h"
#include "server/execution/site.h"
#include "server/floor/command_floor.h"
#include "server/init/setup.h"
#include "server/policy/plan.h"
#include "server/slot/slot.h"
#include "server/view/command_stage.h"
#include "server/view/stage.h"

namespace band::run {

// Destroyed in reverse: the holder first, then what it runs in.
struct CommandView {
  broker::Door door;
  std::shared_ptr<const floor::CommandFloor> floor;  // null: no command is declared, and there is no view
  view::CommandStage stage;
  std::optional<Sandbox> holder;
};

struct CommandViewParts {
  const slot::Slot& slot;
  const Site& site;
  const policy::SandboxPlan& plan;
  const view::Stage& stage;  // of the script; lives longer
  std::string place;         // for the stage of the command view
  dev_t terminal = 0;        // of the script, which its commands may have, too; 0: there is none
};

// On the slot's thread, after make_room(). Opens the broker's door, builds the view and starts its holder, which then
// needs some milliseconds.
Result<CommandView> make_command_view(const CommandViewParts& parts);

// How many processes what the slot starts may have while so many commands run: each has a warden.
Status make_room(const slot::Slot& slot, const policy::SandboxPlan& plan, std::size_t running);

// The floor of the commands that a plan declares; null when there are none.
Result<std::shared_ptr<const floor::CommandFloor>> floor_of_commands(const Site& site, const CommandPlan& commands);

// What holds for the script and for commands: ids, limits, and the filter of system calls.
init::Setup common_setup(const slot::Slot& slot, const Site& site, const policy::SandboxPlan& plan);
landlock::Tcp tcp_of(const policy::SandboxPlan& plan);

}  // namespace band::run
