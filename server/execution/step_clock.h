// Measures how long each step of an execution takes.
#pragma once

#include "schemas/wire/wire.h"
#include "server/base/io.h"

namespace band::run {

class StepClock {
 public:
  // Adds to `step` the time, in milliseconds, from the previous call (for the first call: from the construction) to
  // `until_us`. `until_us` is a time of base::monotonic_us().
  void went_to(double StepTimes::*step, std::int64_t until_us = base::monotonic_us()) {
    steps_.*step += static_cast<double>(until_us - last_us_) / 1000.0;
    last_us_ = until_us;
  }
  const StepTimes& steps() const { return steps_; }

 private:
  std::int64_t last_us_ = base::monotonic_us();
  StepTimes steps_;
};

}  // namespace band::run
