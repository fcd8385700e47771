// The part of a sandbox that does not depend on the content of a request: the network, and the views. A view is a set
// of namespaces in which the processes of a sandbox run: the script view for the script, the command view for the
// declared commands. Each view has a stage (its finished file tree) and band-init (its pid 1), which waits for the
// script or for commands. A *cold* Prepared is made after the request that it serves has arrived, a *warm* Prepared
// before the request arrives.
//
// Promises: a Prepared depends only on the rules of a request, on its terminal and on whether it has standard input,
// and contains no input, file or secret. It is used for at most one execution. A warm Prepared is used only while
// is_current() returns true. is_current() returns true if all processes of the Prepared live, and if three kinds of
// files of the machine have not changed since the Prepared was made: those from which the floor (the read-only root of
// the script view) was made, those of the declared programs, and those that the gateway reads.
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
  // The paths of the machine that the rules name; make_stage() has moved Declared::mounts into `stage`.
  view::Declared declared;
  view::Stage stage;
  CommandView commands;  // moved into a Commands (commands.h) when the execution begins
  base::Fd input;        // the engine's end of the script's standard input; empty: the request has no standard input
  std::optional<Sandbox> sandbox;
};

struct Making {
  slot::Slot& slot;
  SlotMounts& mounts;  // the mounts that belong to `slot`
  const Site& site;
  const policy::SandboxPlan& plan;
  StepClock& clock;
  std::optional<TerminalSize> terminal;  // nullopt: the script has no terminal
  bool takes_input = false;              // the request has standard input
  // Called while directories of the machine are searched; if it returns false, make() ends with Code::Cancelled.
  std::function<bool()> go_on;
  std::function<void()> first_made;  // called immediately before the first process of the views is started
};

// Makes all parts of `into`. Returns before band-init is ready in the views. After an error `into` may contain some of
// the parts, and the caller must end them: end_views(), end_network() and remove(), or discard(). Call make() on the
// slot's thread.
Status make(Prepared& into, const Making& how);

// Returns true when a warm sandbox may be used (see the promises above).
bool is_current(const Prepared& prepared, const Site& site, const policy::SandboxPlan& plan);

// Call end_network() when each process of the views is dead or in `dying`. Ends the network, without removing the
// firewall's chain:
// - If `dying` is empty and the gateway process has sent its last event: returns without a wait for its exit.
// - If `dying` is empty and the last event is missing: kills the gateway process. If it has not exited after kDeathMs,
//   moves the network to `dying` and returns an error.
// - If `dying` contains processes: kills the gateway process, moves the network to `dying` and returns an error.
Status end_network(Prepared& prepared, Dying& dying);
// Call it after end_network(). Unless the network is in a Dying, waits until the gateway process has exited, and
// removes the firewall's chain. Then removes the mounts; processes in a Dying keep the mounts that they use. Returns an
// error when the network did not end within kDeathMs, or when the chain could not be removed: the slot's network
// namespace must then be renewed. Does nothing when `prepared` is null.
Status remove(std::unique_ptr<Prepared> prepared);

// Kills the processes of both views. Moves processes that are not dead after kDeathMs to `dying`. The views stay
// mounted until `prepared` is destroyed.
void end_views(Prepared& prepared, Dying& dying);

// Ends a sandbox that no execution used: calls end_views(), end_network() and remove(), and returns their first error.
// Processes that are not dead after kDeathMs are then in `dying`, and the slot must not be used before Dying::gone()
// returns true.
Status discard(std::unique_ptr<Prepared> prepared, Dying& dying);

// The maximum time, in milliseconds, between the kill of the processes and the answer (dying.h). Most processes die
// much sooner.
inline constexpr int kDeathMs = 5'000;
// Returns the error with the message that `what` ("processes", "network") did not end within kDeathMs.
Error late(const char* what);

}  // namespace band::run
