// Limits the rate of an execution's outgoing connections: a burst of `at_once`, then `per_second`.
//
// A closed connection keeps its local port towards its host for one minute (TIME-WAIT), and its connection-tracking
// entry at least as long. All processes of the machine share both resources. A limit on open connections does not bound
// them.
#pragma once

#include "server/gateway/asio.h"

namespace band::gateway {

class Pace {
 public:
  // Both at least 1.
  Pace(int at_once, int per_second);
  // Returns when the next connection may start, which may be `now`. Each call consumes one start, even if the
  // connection then fails. A connection therefore waits at most (number of waiting connections) / `per_second` seconds.
  Deadline earliest_start(Clock::time_point now);

 private:
  Clock::duration each_, ahead_;  // time per connection in an even flow; by how much a full burst is ahead of that flow
  Clock::time_point flow_ = {};   // when the next connection would start in an even flow
};

}  // namespace band::gateway
