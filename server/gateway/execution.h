// The gateway of one execution, from reading its policy to the exit of the process.
#pragma once

#include "server/gateway/order.h"

namespace band::gateway {

// Sends Ready with `pidfd` and serves until the engine shuts down its side of the events' stream. Then waits for at
// most kMostFlushMs until servers have acknowledged the data sent to them, sends the last events, and exits. Returns
// only on errors.
Status serve_execution(Order order, int pidfd);

}  // namespace band::gateway
