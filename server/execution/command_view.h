// The broker's door (the socket to which the shims connect) of one execution. If the band declares commands, also the
// command view with its holder. Door and command view depend on the rules, and on nothing else of a request. Therefore
// both can be made in advance, for a later request with the same rules (docs/architecture.md 2).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "schemas/core/result.h"
#include "server/broker/door.h"
#include "server/execution/sandbox.h"
#include "server/execution/site.h"
#include "server/execution/slot_mounts.h"
#include "server/floor/command_floor.h"
#include "server/init/setup.h"
#include "server/policy/plan.h"
#include "server/slot/slot.h"
#include "server/view/command_stage.h"
#include "server/view/stage.h"

namespace band::run {

// The members are destroyed in reverse order: first the holder, then the stage and the floor that the holder uses.
struct CommandView {
  broker::Door door;
  std::shared_ptr<const floor::CommandFloor> floor;  // null: no command is declared, so no command view exists
  view::CommandStage stage;
  std::optional<Sandbox> holder;
};

struct CommandViewParts {
  const slot::Slot& slot;
  SlotMounts& mounts;  // the mounts that belong to `slot`
  const Site& site;
  const policy::SandboxPlan& plan;
  const view::Stage& stage;  // the script's stage; must outlive the command view
  dev_t terminal = 0;        // the script's terminal, which commands may use, too; 0: no terminal
};

// Opens the broker's door, builds the command view and starts the holder. Returns before the holder is ready, which
// takes some milliseconds more. Call make_command_view() on the slot's thread, after make_room().
Result<CommandView> make_command_view(const CommandViewParts& parts);

// Sets the process limit of the slot's control group. `running`: the number of commands that run at the moment. The
// limit is the sum of three numbers: the plan's limit; the number of band's own processes in the views (each band-init,
// and wardens without a running command); and `running`, because each running command also has a warden.
Status make_room(const slot::Slot& slot, const policy::SandboxPlan& plan, std::size_t running);

// Returns the command floor for the commands that the plan declares. Returns null when the plan declares no command.
Result<std::shared_ptr<const floor::CommandFloor>> floor_of_commands(const Site& site, const CommandPlan& commands);

// Returns the part of init::Setup that is the same for the script and for its commands: ids and limits.
init::Setup common_setup(const slot::Slot& slot, const policy::SandboxPlan& plan);
// Returns which TCP calls Landlock permits to scripts and commands: connect(2) when the plan has net rules, otherwise
// none.
landlock::Tcp tcp_of(const policy::SandboxPlan& plan);

}  // namespace band::run
