// The parts of an execution that outlive its answer: killed processes that are not yet reaped.
//
// The kernel needs time to free the memory of a killed process, and no limit of an execution bounds this time. (For
// example, freeing 800 MB of page tables takes seconds, and a script can have as many page tables as the memory limit
// permits.) The answer is sent before this memory is free. The slot is not used until then, because its uid, its
// control group and its network namespace can be reused only when all processes have been reaped.
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
  // chain is removed. If gone() returns false, call it again later; the slot stays unused until then.
  bool gone(int ms);
  // Makes the destructor not wait for the processes. Use it when the server is about to exit; the kernel then ends the
  // processes, because the zygote exits, too.
  void abandon();

 private:
  std::vector<Sandbox> sandboxes_;
  std::unique_ptr<Network> network_;
};

}  // namespace band::run
