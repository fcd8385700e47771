// Settings of the kernel's connection tracking in a slot's network namespace.
//
// Promises: the kernel tracks a connection from its first packet on, or never. A connection whose tracking entry was
// removed is therefore not tracked again, and the firewall drops the answers on untracked connections. A packet that
// the firewall refuses makes no entry. After an execution with net rules that sent a packet, all entries are removed
// together with the network namespace (docs/design.md). Therefore an execution cannot continue a connection of an
// earlier execution.
// The tracking entry of a half-closed or idle connection is kept while the connection lives, for up to five days. The
// entry of a closed or unanswered connection expires within seconds, and the kernel removes it within one minute. The
// time is short because the memory for entries is charged to no cgroup.
// Does not cover: how many entries wait for their removal. Only the machine's setting nf_conntrack_max limits this
// number, separately for each namespace.
#pragma once

#include "schemas/core/result.h"

namespace band::firewall {

// Sets these settings in the network namespace of the calling thread, and reads each of them back. Call it after the
// table nat was first used in this namespace.
Status tune_tracking();

}  // namespace band::firewall
