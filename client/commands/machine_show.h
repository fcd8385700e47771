// The progress notes of the commands that start, make or remove a virtual machine.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "client/terminal/terminal.h"
#include "client/vm/machine.h"

namespace band::client {

// Prints a note for each step with its usual duration, and another with its real duration; on a terminal also the
// progress within the step. end_step() ends the current step, also after a failure.
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
