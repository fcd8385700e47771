// The gateway of one execution, from its plan to its end.
#pragma once

#include "server/gateway/order.h"

namespace band::gateway {

// Tells Ready with `pidfd`, serves until the engine ends the events' stream, tells what is still open, and ends the
// process. Returns only what went wrong.
Status serve_execution(Order order, int pidfd);

}  // namespace band::gateway
