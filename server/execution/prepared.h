// The sandbox of one execution as it is before the request is known: network, stage, views with band-init waiting in
// them. It is made for a request that is there, or ahead ("warm") for one with rules that were seen before.
//
// Promises: it holds nothing of a request but what follows from its rules (no input, no file, no secret); it is used
// for one execution, or for none. A warm one is used only while is_current() holds: the floor, the programs and the
// gateway's files of the machine are those that it was made from, and its processes live.
// Does not cover: whose it is (recipe.h), how long it waits and how many do (server/engine).
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

// Destroyed in reverse: processes, then what they run in. The network is ended by end().
struct Prepared {
  std::string gateway_files;  // state of the files that the gateway reads at its start; "" without net rules
  std::unique_ptr<Network> network;
  std::shared_ptr<const floor::Floor> floor;
  view::Declared declared;  // without its mounts, which are the stage's
  view::Stage stage;
  CommandView commands;  // moved from when the execution begins
  base::Fd input;        // of a standard input that the request brings: our end
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

// On the slot's thread. After an error `into` may hold parts, and end() is called all the same.
Status make(Prepared& into, const Making& how);

bool is_current(const Prepared& prepared, const Site& site, const policy::SandboxPlan& plan);

// What is left when everything but the network is gone, or in `dying`. An error: the firewall's chain could not be
// removed, or the network does not end.
Status end_network(std::unique_ptr<Network> network, Dying& dying);

// Ends one that nobody used. What does not die in time is in `dying`; the slot must not be used before Dying::gone().
Status discard(std::unique_ptr<Prepared> prepared, Dying& dying);

// Everything is dead long before. What takes longer is waited for when the answer is out (dying.h).
inline constexpr int kDeathMs = 5'000;
Error late(const char* what);

}  // namespace band::run
