// The network of a slot (the place for one execution at a time): a network namespace with only the interface `lo`.
// Every IPv4 address is routed to `lo` as a local address; IPv6 is disabled. So a packet to any address stays in the
// slot's network namespace, where the slot's firewall accepts, redirects or rejects it.
// Does not cover: the firewall. A new network namespace has none: call firewall::prepare() after each function below.
#pragma once

#include "schemas/core/result.h"

namespace band::slot {

// Sets up `lo`, the routes and the sysctl values of the network namespace of the calling thread. Call it on the slot's
// thread, in a new network namespace.
Status prepare_network();

// Moves the calling thread permanently into a new network namespace and prepares this namespace as prepare_network()
// does. The kernel removes the old namespace, with all its connections, when its last socket is closed. A connection in
// TIME-WAIT belongs to no process and cannot be closed; only the removal of its namespace ends it immediately. If the
// thread stayed in the old namespace, the connection would exist for one minute more. The next execution could then
// find out an address to which the previous execution had connected, and would need more time to find a free port.
// After an error the thread is in the old namespace, or in a new one that is not prepared; the call can be repeated.
Status renew_network();

}  // namespace band::slot
