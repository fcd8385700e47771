// Shows the progress of commands that create, start or delete a virtual machine.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "client/terminal/terminal.h"
#include "client/vm/machine.h"

namespace band::client {

// At the beginning of each step, prints a note with the step's usual duration; at the end, a note with its real
// duration. On a terminal, also shows the progress within the step. end_step() ends the current step; call it also when
// the step failed.
class MachineShow {
 public:
  explicit MachineShow(Terminal& terminal) : terminal_(terminal) {}
  ~MachineShow() { end_step(); }
  MachineShow(const MachineShow&) = delete;
  MachineShow& operator=(const MachineShow&) = delete;

  vm::Show show();  // returns the callbacks that print; they must not be called after the end of this object
  void end_step();

 private:
  Terminal& terminal_;
  std::optional<Progress> progress_;
  std::string step_;
  std::chrono::steady_clock::time_point began_, all_began_ = std::chrono::steady_clock::now();
};

}  // namespace band::client
