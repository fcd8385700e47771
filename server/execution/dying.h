// The parts of an execution that outlive its answer: killed processes that are not yet reaped.
//
// A killed process is reaped only after the kernel has freed the memory of the process. No limit of an execution bounds
// the time that this takes. (For example, freeing 800 MB of page tables takes seconds, and a script can have as many
// page tables as the memory limit permits.) The answer does not wait longer than kDeathMs (prepared.h) for this. But
// the slot is not used before all processes have been reaped, because only then can the slot's uid, control group and
// network namespace be used by another execution.
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

  // Waits at most `ms` milliseconds for each part. Returns true when all processes have been reaped and the firewall's
  // chain is removed. If gone() returns false, call gone() again later; the slot must not be used before gone() has
  // returned true.
  bool gone(int ms);
  // After abandon(), the destructor does not wait for the processes. Use abandon() when the server is about to exit.
  void abandon();

 private:
  std::vector<Sandbox> sandboxes_;
  std::unique_ptr<Network> network_;
};

}  // namespace band::run
