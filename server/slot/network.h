// The network of a slot: only the interface `lo`, to which every IPv4 address is routed as a local one.
//
// Promises: there is no IPv6; a packet to any IPv4 address stays in the network namespace, where the firewall can
// reject it; only a process with CAP_NET_BIND_SERVICE can bind a port below 1024.
// Does not cover: which packets are rejected (server/firewall), and the programs that listen in the namespace.
#pragma once

#include "schemas/core/result.h"

namespace band::slot {

// Called on the slot's thread, in its new network namespace.
Status prepare_network();

// Moves the thread permanently into a new network namespace and prepares it as prepare_network() does. The kernel
// removes the old namespace when its last socket is closed. Connections in TIME-WAIT are removed with the old
// namespace; they belong to no process, so they cannot be closed. For one minute they would reveal the peers of the
// last execution and slow down the search for a free port.
Status renew_network();

}  // namespace band::slot
