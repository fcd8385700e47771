// The part of a sandbox that does not depend on the content of a request: network, stage, and views in which band-init
// waits. It is made for a request that has arrived ("cold"), or ahead of the next request with the same rules ("warm").
//
// Promises: a Prepared depends only on the rules of a request and holds no input, file or secret. It is used for at
// most one execution. A warm Prepared is used only while is_current() returns true: the floor, the programs and the
// files that the gateway reads have not changed on the machine since the Prepared was made, and its processes live.
// Does not cover: to which token a warm sandbox belongs (recipe.h), how long it waits and how many exist
// (server/engine).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"
#include "server/execution/command_view.h"
#include "server/execution/dying.h"
#include "server/execution/network.h"
#include "server/execution/sandbox.h"
#include "server/execution/site.h"
#include "server/execution/step_clock.h"
#include "server/floor/floor.h"
#include "server/policy/plan.h"
#include "server/slot/slot.h"
#include "server/view/declared.h"
#include "server/view/stage.h"

namespace band::run {

// The members are destroyed in reverse order: processes, then their stages and floor. Call end_network() for the
// network.
struct Prepared {
  std::string gateway_files;  // state of the files that the gateway process reads when it starts; "" without net rules
  std::unique_ptr<Network> network;
  std::shared_ptr<const floor::Floor> floor;
  view::Declared declared;  // without the mounts: the stage owns them
  view::Stage stage;
  CommandView commands;  // moved from when the execution begins
  base::Fd input;        // the engine's end of the script's standard input; empty: the request has no standard input
  std::optional<Sandbox> sandbox;
};

struct Making {
  slot::Slot& slot;
  const Site& site;
  const policy::SandboxPlan& plan;
  StepClock& clock;
  std::optional<TerminalSize> terminal;
  bool takes_input = false;
  std::function<bool()> go_on;       // see view::open_declared()
  std::function<void()> first_made;  // called before the first process is started
};

// Makes all parts of `into`. Call it on the slot's thread. After an error `into` may hold some of the parts, and the
// caller must end them.
Status make(Prepared& into, const Making& how);

// Returns true when a warm sandbox may be used: see the promises above.
bool is_current(const Prepared& prepared, const Site& site, const policy::SandboxPlan& plan);

// Call it when each process of the views is dead or in `dying`. Ends the network and removes the firewall's chain.
// Returns an error when the chain could not be removed, or when the network cannot be ended yet, which is then moved to
// `dying`.
Status end_network(std::unique_ptr<Network> network, Dying& dying);

// Ends a sandbox that no execution used. Processes that are not dead after kDeathMs are moved to `dying`; the slot must
// not be used before Dying::gone() returns true.
Status discard(std::unique_ptr<Prepared> prepared, Dying& dying);

// Killed processes that are not dead after this time do not delay the answer any longer (dying.h). Most processes die
// much sooner.
inline constexpr int kDeathMs = 5'000;
// Returns the error for `what` ("processes", "network") that is not dead after kDeathMs.
Error late(const char* what);

}  // namespace band::run
