#include "server/gateway/pace.h"

#include <algorithm>

namespace band::gateway {

Pace::Pace(int at_once, int per_second)
    : each_(std::chrono::duration_cast<Clock::duration>(std::chrono::seconds(1)) / per_second),
      ahead_(each_ * (at_once - 1)) {}

Deadline Pace::earliest_start(Clock::time_point now) {
  flow_ = std::max(flow_, now);
  const Deadline turn = std::max(now, flow_ - ahead_);
  flow_ += each_;
  return turn;
}

}  // namespace band::gateway
