// The gateway of one execution, from reading its policy to the exit of the process.
#pragma once

#include "server/gateway/order.h"

namespace band::gateway {

// Sends the event Ready with `pidfd`, a pidfd of this process, then serves until the engine shuts down its side of the
// stream of events (server/gateway_link/event.h). Then waits at most kMostFlushMs for the servers to acknowledge the
// script's data, sends the last events, and exits. Returns only on an error.
Status serve_execution(Order order, int pidfd);

}  // namespace band::gateway
