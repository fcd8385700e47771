// The part of a sandbox that does not depend on the content of a request: network, stage, and views in which band-init
// waits. It is made for a request that has arrived, or ahead ("warm") for one with the rules of an earlier request.
//
// Promises: it depends only on the rules of a request and holds no input, file or secret; it is used for one execution,
// or for none. A warm one is used only while is_current() returns true: the floor, the programs and the gateway's files
// on the machine are unchanged since it was made, and its processes live.
// Does not cover: which token it belongs to (recipe.h), how long warm ones wait and how many exist (server/engine).
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

// Destroyed in reverse order: processes, then their stages and floor. The network is ended by end_network().
struct Prepared {
  std::string gateway_files;  // state of the files that the gateway reads at its start; "" without net rules
  std::unique_ptr<Network> network;
  std::shared_ptr<const floor::Floor> floor;
  view::Declared declared;  // without its mounts, which the stage owns
  view::Stage stage;
  CommandView commands;  // moved from when the execution begins
  base::Fd input;        // the engine's end of the script's standard input; empty: the request sends none
  std::optional<Sandbox> sandbox;
};

struct Making {
  slot::Slot& slot;
  const Site& site;
  const policy::SandboxPlan& plan;
  StepClock& clock;
  std::optional<TerminalSize> terminal;
  bool takes_input = false;
  std::function<bool()> go_on;       // as for view::open_declared
  std::function<void()> first_made;  // called before the first process is started
};

// Call it on the slot's thread. After an error `into` may hold parts, and the caller must end them, too.
Status make(Prepared& into, const Making& how);

bool is_current(const Prepared& prepared, const Site& site, const policy::SandboxPlan& plan);

// Call it when everything except the network is dead, or in `dying`. Returns an error when the firewall's chain could
// not be removed or the network did not end in time; it is then in `dying`.
Status end_network(std::unique_ptr<Network> network, Dying& dying);

// Ends a sandbox that no execution used. Processes that do not die in time are moved to `dying`; the slot must not be
// used before Dying::gone().
Status discard(std::unique_ptr<Prepared> prepared, Dying& dying);

// Normally processes die much sooner. Those that take longer are waited for after the answer is sent (dying.h).
inline constexpr int kDeathMs = 5'000;
Error late(const char* what);

}  // namespace band::run
