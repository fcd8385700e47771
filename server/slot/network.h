// A slot's network: `lo`, to which every IPv4 address belongs, and nothing else.
//
// Promises: no IPv6; whatever IPv4 address a program sends to, the packet stays in this namespace, where the firewall
// can catch it; ports below 1024 are for those with CAP_NET_BIND_SERVICE.
// Does not cover: what happens to the packets (the firewall), and who listens for them.
#pragma once

#include "schemas/result.h"

namespace band::slot {

// On the slot's thread, in its fresh network namespace.
Status prepare_network();

}  // namespace band::slot
