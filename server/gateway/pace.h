// Limits the rate of an execution's connections to servers: `at_once` connections may start immediately, and further
// connections at the rate `per_second`.
//
// The gateway connects from the machine's own network namespace. There, a closed connection occupies its local port for
// one minute (TIME-WAIT), and its connection-tracking entry for at least one minute. All processes of the machine share
// the local ports and the tracking entries. A limit on open connections would not limit how many ports and entries the
// closed connections occupy. Therefore the rate is limited.
#pragma once

#include "server/gateway/asio.h"

namespace band::gateway {

class Pace {
 public:
  // Both values are at least 1.
  Pace(int at_once, int per_second);
  // Returns the time at which the next connection may start, at the earliest `now`. Each call consumes one start, even
  // if the connection then fails. A connection waits at most (number of waiting connections) / `per_second` seconds.
  Deadline earliest_start(Clock::time_point now);

 private:
  Clock::duration each_, ahead_;  // `each_`: 1 s / `per_second`; `ahead_`: (`at_once` - 1) * `each_`
  Clock::time_point flow_ = {};   // start of the next connection if all connections started at intervals of `each_`
};

}  // namespace band::gateway
