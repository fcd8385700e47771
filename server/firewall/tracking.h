// Settings of the kernel's connection tracking in a slot's network namespace.
//
// Promises: a connection whose first packet was not tracked is never tracked, and the firewall drops the answers on
// untracked connections. Therefore an execution cannot continue a connection of an earlier execution. The tracking
// entry of a half-closed or idle connection is kept while the connection lives, for up to five days. The entry of a
// closed or unanswered connection expires within seconds, and the kernel removes it within one minute; this matters
// because the memory for entries is charged to no cgroup.
// Does not cover: how many entries wait for their removal. Only nf_conntrack_max limits this number; it is a setting of
// the machine and applies to each namespace separately.
#pragma once

#include "schemas/core/result.h"

namespace band::firewall {

// Changes the namespace of the calling thread. Call it after the table nat was first used in this namespace.
Status tune_tracking();

}  // namespace band::firewall
