// The part of a sandbox that does not depend on the content of a request: network, stage, and views in which band-init
// waits. A *cold* Prepared is made after the request that it serves has arrived. A *warm* Prepared is made before.
//
// Promises: a Prepared depends only on the rules of a request and holds no input, file or secret. It is used for at
// most one execution. A warm Prepared is used only while is_current() returns true. is_current() returns true if all
// processes of the Prepared live, and if three kinds of files of the machine have not changed since the Prepared was
// made: those from which the floor was made, those of the declared programs, and those that the gateway reads.
// Does not cover: to which token a warm sandbox belongs (recipe.h); how long a warm sandbox waits and how many exist
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
#include "server/execution/slot_mounts.h"
#include "server/execution/step_clock.h"
#include "server/floor/floor.h"
#include "server/policy/plan.h"
#include "server/slot/slot.h"
#include "server/view/declared.h"
#include "server/view/stage.h"

namespace band::run {

// The members are destroyed in reverse order: first the processes, then the stages and the floor that the processes
// use. Call end_network() before the destruction.
struct Prepared {
  std::string gateway_files;  // state of the files that the gateway process reads when it starts; "" without net rules
  std::unique_ptr<Network> network;
  std::shared_ptr<const floor::Floor> floor;
  view::Declared declared;  // the declared paths; make_stage() has moved Declared::mounts into `stage`
  view::Stage stage;
  CommandView commands;  // moved into a Commands when the execution begins
  base::Fd input;        // the engine's end of the script's standard input; empty: the request has no standard input
  std::optional<Sandbox> sandbox;
};

struct Making {
  slot::Slot& slot;
  SlotMounts& mounts;  // the mounts that belong to `slot`
  const Site& site;
  const policy::SandboxPlan& plan;
  StepClock& clock;
  std::optional<TerminalSize> terminal;
  bool takes_input = false;          // the request has standard input
  std::function<bool()> go_on;       // see view::open_declared()
  std::function<void()> first_made;  // called immediately before the first process of the views is started
};

// Makes all parts of `into`. After an error `into` may contain some of the parts, and the caller must end these parts
// (Sandbox::end(), end_network()). Call make() on the slot's thread.
Status make(Prepared& into, const Making& how);

// Returns true when a warm sandbox may be used (see the promises above).
bool is_current(const Prepared& prepared, const Site& site, const policy::SandboxPlan& plan);

// Ends the network, without removing the firewall's chain. If the gateway process has sent its last event, does not
// wait until it has exited. If `dying` already contains processes, or if the network does not end within kDeathMs,
// moves the network to `dying` and returns an error. Call end_network() when each process of the views is dead or in
// `dying`.
Status end_network(Prepared& prepared, Dying& dying);
// Waits until the gateway process has exited, and removes the firewall's chain, unless the network is in Dying. Then
// removes the mounts; processes in Dying keep the mounts that they use. Call it after end_network(). Returns an error
// when the network did not end within kDeathMs, or when the chain could not be removed: the slot's network namespace
// must then be renewed.
Status remove(std::unique_ptr<Prepared> prepared);

// Kills the processes of both views. Moves processes that are not dead after kDeathMs to `dying`. The views stay
// mounted until `prepared` is destroyed.
void end_views(Prepared& prepared, Dying& dying);

// Ends a sandbox that no execution used. Moves processes that are not dead after kDeathMs to `dying`; the slot must
// then not be used before Dying::gone() returns true.
Status discard(std::unique_ptr<Prepared> prepared, Dying& dying);

// The maximum time, in milliseconds, between the kill of the processes and the answer (dying.h). Most processes die
// much sooner.
inline constexpr int kDeathMs = 5'000;
// Returns the error with the message that `what` ("processes", "network") did not end within kDeathMs.
Error late(const char* what);

}  // namespace band::run
