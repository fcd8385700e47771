// The broker's door of one execution and, if the band declares commands, the command view with its holder.
// - The *door* is the socket at which the broker receives command lines. A *shim* sends them: the program that runs in
//   place of a declared command.
// - The *command view* is the set of namespaces, with a file tree of its own, in which the declared commands run.
// - The *holder* is pid 1 of the command view. It starts the commands that the broker has allowed.
// Without a terminal, door and command view depend only on the rules of a request. Therefore both can be made in
// advance, for a later request with the same rules (docs/architecture.md 2).
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
  // The read-only root of the command view; null: no command is declared, so no command view exists.
  std::shared_ptr<const floor::CommandFloor> floor;
  view::CommandStage stage;
  std::optional<Sandbox> holder;
};

struct CommandViewParts {
  const slot::Slot& slot;
  SlotMounts& mounts;  // the mounts that belong to `slot`
  const Site& site;
  const policy::SandboxPlan& plan;
  const view::Stage& stage;  // the file tree of the script's view; must outlive the command view
  dev_t terminal = 0;        // the script's terminal, which commands may use, too; 0: no terminal
};

// Opens the broker's door, builds the command view and starts the holder. Returns before the holder is ready, which
// takes some milliseconds more. Call make_command_view() on the slot's thread, after make_room().
Result<CommandView> make_command_view(const CommandViewParts& parts);

// Sets the process limit of the slot's control group. `running`: the number of commands that run at the moment. The
// limit is the sum of:
// - the plan's limit;
// - pid 1 of each view;
// - a number of wardens without a running command (a warden is a child process of the holder that starts one command);
// - `running`, because each running command also has a warden.
Status make_room(const slot::Slot& slot, const policy::SandboxPlan& plan, std::size_t running);

// Returns the command floor for the commands that the plan declares; null when the plan declares no command. Errors as
// Floors::for_commands() (floors.h).
Result<std::shared_ptr<const floor::CommandFloor>> floor_of_commands(const Site& site, const CommandPlan& commands);

// Returns the part of init::Setup that is the same for the script and for its commands: ids and limits.
init::Setup common_setup(const slot::Slot& slot, const policy::SandboxPlan& plan);
// Returns which TCP calls Landlock permits to scripts and commands: connect(2) when the plan has net rules, otherwise
// none.
landlock::Tcp tcp_of(const policy::SandboxPlan& plan);

}  // namespace band::run
