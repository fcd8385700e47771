// The parts of an execution that outlive its answer: killed processes that are not yet reaped.
//
// No limit bounds the time that the kernel needs to free the memory of a process: page tables of 800 MB, which are
// charged to the execution, take seconds. The answer does not wait for it. The slot waits, because its uid, its control
// group and its network namespace can be reused only when all processes have been reaped.
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

  // Waits at most `ms` milliseconds for each part. Returns true when everything is dead and reaped and the firewall's
  // chain is removed; until then the caller calls it again.
  bool gone(int ms);
  // Releases ownership: the destructor does not wait. For a server that is about to exit; init then reaps its children.
  void abandon();

 private:
  std::vector<Sandbox> sandboxes_;
  std::unique_ptr<Network> network_;
};

}  // namespace band::run
