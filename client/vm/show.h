// Progress of work on a virtual machine, as shown to the user.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace band::client::vm {

// The current action: step `step` of `steps`, and its usual duration.
struct Step {  // steps is 0 for a single action
  int step = 0, steps = 0;
  std::string what;
  std::chrono::seconds usual{0};
};
struct Show {
  std::function<void(const Step&)> begin;
  std::function<void(const std::string& line)> progress;  // progress within the step
  std::function<void(const std::string& line)> note;
};

}  // namespace band::client::vm
