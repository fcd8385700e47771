// Settings of the kernel's connection tracking in a slot's network namespace.
//
// Promises: the kernel tracks a connection from its first packet on, or never. A connection whose tracking entry was
// removed is therefore not tracked again, and the firewall drops the answers on untracked connections. A packet that
// the firewall refuses makes no entry. After an execution with net rules that sent a packet, all entries are removed
// together with the network namespace (docs/design.md). Therefore an execution cannot continue a connection of an
// earlier execution.
// The timeout of a tracking entry is five days for a half-closed or idle TCP connection. It is 1 s to 5 s for a closed
// or unanswered connection and for UDP, because the memory for entries is charged to no cgroup. The kernel removes an
// expired entry within one minute.
// Does not cover: how many entries wait for their removal. Only the machine's setting nf_conntrack_max limits this
// number, separately for each namespace.
#pragma once

#include "schemas/core/result.h"

namespace band::firewall {

// Sets these settings in the network namespace of the calling thread, and reads each of them back. Call it after the
// table nat was first used in this namespace.
Status tune_tracking();

}  // namespace band::firewall
