// A slot's network: only `lo`, to which every IPv4 address belongs.
//
// Promises: no IPv6; a packet to any IPv4 address stays in this namespace, where the firewall can catch it; ports below
// 1024 require CAP_NET_BIND_SERVICE.
// Does not cover: the handling of the packets (the firewall), and the programs that listen for them.
#pragma once

#include "schemas/core/result.h"

namespace band::slot {

// Called on the slot's thread, in its new network namespace.
Status prepare_network();

// Moves the thread permanently into a new network namespace and prepares that one; the kernel removes the old one with
// its last socket. This discards connections in TIME-WAIT, which belong to no process and cannot be closed. For one
// minute they would show the peers of the last execution and slow down the search for a free port.
Status renew_network();

}  // namespace band::slot
