// The broker's door of one execution and, when commands are declared, the command view with its holder. It depends on
// no part of a request except the rules, so that it can be made ahead.
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

// Destroyed in reverse order: the holder first, then the stage and floor that it runs in.
struct CommandView {
  broker::Door door;
  std::shared_ptr<const floor::CommandFloor> floor;  // null: no command is declared, so no command view exists
  view::CommandStage stage;
  std::optional<Sandbox> holder;
};

struct CommandViewParts {
  const slot::Slot& slot;
  const Site& site;
  const policy::SandboxPlan& plan;
  const view::Stage& stage;  // the script's stage; must outlive the command view
  std::string place;         // directory for the stage of the command view
  dev_t terminal = 0;        // the script's terminal, which its commands may use, too; 0: no terminal
};

// Call it on the slot's thread, after make_room(). Opens the broker's door, builds the command view and starts its
// holder, which is ready some milliseconds later.
Result<CommandView> make_command_view(const CommandViewParts& parts);

// Sets the process limit of the slot's control group for `running` commands, each of which has a warden.
Status make_room(const slot::Slot& slot, const policy::SandboxPlan& plan, std::size_t running);

// Returns the floor of the commands that a plan declares, or null when it declares none.
Result<std::shared_ptr<const floor::CommandFloor>> floor_of_commands(const Site& site, const CommandPlan& commands);

// The part of the set-up that is the same for the script and for commands: ids, limits and the seccomp filter.
init::Setup common_setup(const slot::Slot& slot, const Site& site, const policy::SandboxPlan& plan);
landlock::Tcp tcp_of(const policy::SandboxPlan& plan);

}  // namespace band::run
