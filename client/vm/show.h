// The callbacks with which work on a virtual machine shows its progress to the user.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace band::client::vm {

// The current action: it is number `step` of `steps` actions, and usually takes `usual`.
struct Step {  // steps is 0 for a single action
  int step = 0, steps = 0;
  std::string what;
  std::chrono::seconds usual{0};
};
struct Show {
  std::function<void(const Step&)> begin;
  std::function<void(const std::string& line)> progress;  // called with the progress within the current action
  std::function<void(const std::string& line)> note;
};

}  // namespace band::client::vm
