// The gateway of one execution, from its policy to its end.
#pragma once

#include "server/gateway/order.h"

namespace band::gateway {

// Sends Ready with `pidfd` and serves until the engine shuts down its side of the events' stream. Then waits for at
// most kMostFlushMs until servers have acknowledged what was sent to them, sends the last events, and ends the process.
// Returns only what went wrong.
Status serve_execution(Order order, int pidfd);

}  // namespace band::gateway
