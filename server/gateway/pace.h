// How fast an execution's connections go outwards: so many at once, then so many a second.
//
// What has ended keeps its port towards its host for a minute (TIME-WAIT), and its place in the machine's connection
// tracking as long or longer. Both are the machine's, and no count of what is open bounds them.
#pragma once

#include "server/gateway/asio.h"

namespace band::gateway {

class Pace {
 public:
  // Both at least 1.
  Pace(int at_once, int per_second);
  // The next one's turn: now, or later. Who asks has it, whatever comes of it, so nobody waits for longer than all that
  // wait need: their number divided by `per_second`.
  Deadline earliest_start(Clock::time_point now);

 private:
  Clock::duration each_, ahead_;  // for one; that so many at once are ahead of an even flow
  Clock::time_point flow_ = {};   // when the next one came if they came evenly
};

}  // namespace band::gateway
