// A slot's network: `lo`, to which every IPv4 address belongs, and nothing else.
//
// Promises: no IPv6; whatever IPv4 address a program sends to, the packet stays in this namespace, where the firewall
// can catch it; ports below 1024 are for those with CAP_NET_BIND_SERVICE.
// Does not cover: what happens to the packets (the firewall), and who listens for them.
#pragma once

#include "schemas/core/result.h"

namespace band::slot {

// On the slot's thread, in its fresh network namespace.
Status prepare_network();

// The same in a new one, for good; the old one ends with its last socket. For what no process holds and nobody can take
// away: connections in TIME-WAIT, which for a minute tell with whom the last execution spoke, and make the next one
// look for a free port among thousands of taken ones.
Status renew_network();

}  // namespace band::slot
