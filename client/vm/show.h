// The callbacks with which work on a virtual machine shows its progress to the user.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace band::client::vm {

// One action of the work. It is number `step` (from 1) of `steps` actions, and usually takes the time `usual`.
struct Step {  // step and steps are 0 for a single action
  int step = 0, steps = 0;
  std::string what;
  std::chrono::seconds usual{0};
};
struct Show {
  // `begin` and `note` must not be empty.
  std::function<void(const Step&)> begin;                 // called when an action begins
  std::function<void(const std::string& line)> progress;  // called with the progress within the current action
  std::function<void(const std::string& line)> note;      // called with a message for the user
};

}  // namespace band::client::vm
