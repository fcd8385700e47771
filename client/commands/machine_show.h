// What `band setup`, `band start` and the like show of a virtual machine that comes up.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "client/terminal/terminal.h"
#include "client/vm/machine.h"

namespace band::client {

// A note for each step with how long such a step takes, another with how long it has taken; on a terminal what goes on
// within it. The step that goes on is named at the end, too, when that is a failure.
class MachineShow {
 public:
  explicit MachineShow(Terminal& terminal) : terminal_(terminal) {}
  ~MachineShow() { end_step(); }
  MachineShow(const MachineShow&) = delete;
  MachineShow& operator=(const MachineShow&) = delete;

  vm::Show show();
  void end_step();

 private:
  Terminal& terminal_;
  std::optional<Progress> progress_;
  std::string step_;
  std::chrono::steady_clock::time_point began_, all_began_ = std::chrono::steady_clock::now();
};

}  // namespace band::client
