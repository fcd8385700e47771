// What a user sees of work on a virtual machine.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace band::client::vm {

// What is being done now. `step` of `steps`, and how long such a step takes, about.
struct Step {  // steps is 0: it is the only one
  int step = 0, steps = 0;
  std::string what;
  std::chrono::seconds usual{0};
};
struct Show {
  std::function<void(const Step&)> begin;
  std::function<void(const std::string& line)> progress;  // within the step
  std::function<void(const std::string& line)> note;
};

}  // namespace band::client::vm
