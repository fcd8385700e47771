// The network of a slot: only the interface `lo`. Every IPv4 address is routed to `lo` as a local address.
#pragma once

#include "schemas/core/result.h"

namespace band::slot {

// Called on the slot's thread, in its new network namespace.
Status prepare_network();

// Moves the thread permanently into a new network namespace and prepares this namespace as prepare_network() does. The
// kernel removes the old namespace, with all its connections, when its last socket is closed. A connection in TIME-WAIT
// belongs to no process and cannot be closed; it is removed with its namespace, otherwise after one minute. For this
// minute it would reveal a peer of the previous execution, and slow down the search for a free port.
Status renew_network();

}  // namespace band::slot
