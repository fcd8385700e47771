// The parts of an execution that still exist after its answer: killed processes that are not yet reaped, and the
// execution's network. The network can be removed only when all these processes have been reaped.
//
// A killed process is reaped only after the kernel has freed the memory of the process. No limit of an execution bounds
// the time that this takes. (For example, freeing 800 MB of page tables takes seconds, and a script can have as many
// page tables as the memory limit permits.) The answer does not wait longer than kDeathMs (prepared.h) for this. But
// the slot (the place for one execution at a time) is not used before all processes have been reaped, because only then
// can another execution use the slot's uid, control group and network namespace.
#pragma once

#include <memory>
#include <vector>

#include "server/execution/network.h"
#include "server/execution/sandbox.h"

namespace band::run {

class Dying {
 public:
  Dying() = default;
  Dying(Dying&&) = default;
  Dying& operator=(Dying&&) = default;

  void add(Sandbox sandbox) { sandboxes_.push_back(std::move(sandbox)); }
  void add(std::unique_ptr<Network> network) { network_ = std::move(network); }
  bool empty() const { return sandboxes_.empty() && !network_; }

  // Waits at most `ms` milliseconds for each part, and removes the firewall's chain when all processes have been
  // reaped; an error of the removal is only logged. Returns true when no part is left. If gone() returns false, call
  // gone() again later; the slot must not be used before gone() has returned true.
  bool gone(int ms);
  // After abandon(), the destructor does not wait for the processes; abandon() itself waits up to 1 s for the network.
  // Use abandon() when the server is about to exit.
  void abandon();

 private:
  std::vector<Sandbox> sandboxes_;
  std::unique_ptr<Network> network_;
};

}  // namespace band::run
