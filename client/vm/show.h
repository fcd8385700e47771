// The callbacks with which work on a virtual machine shows its progress to the user.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace band::client::vm {

// The action `what`, which is number `step` of `steps` actions (from 1) and usually takes the time `usual`.
struct Step {  // step and steps are 0 for a single action
  int step = 0, steps = 0;
  std::string what;
  std::chrono::seconds usual{0};
};
struct Show {
  std::function<void(const Step&)> begin;                 // called when an action begins
  std::function<void(const std::string& line)> progress;  // called with the progress within the current action
  std::function<void(const std::string& line)> note;      // called with a message for the user
};

}  // namespace band::client::vm
