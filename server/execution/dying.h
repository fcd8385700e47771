// What of an execution outlives its answer: processes that were killed and that the kernel has not finished.
//
// Clearing the memory of a process takes the kernel time that no limit bounds: page tables of 800 MB, which are charged
// to the execution, take seconds. The answer does not wait for it; the slot does, because its uid, its control group
// and its network namespace are free again only when all of it has been reaped.
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

  // Waits at most `ms` milliseconds for each part. True: everything is dead and reaped, and the firewall's chain is
  // gone. Called again until then.
  bool gone(int ms);
  // Waits no longer, now and in the destructor: for a server that ends itself, whose children the kernel then reaps.
  void abandon();

 private:
  std::vector<Sandbox> sandboxes_;
  std::unique_ptr<Network> network_;
};

}  // namespace band::run
