// Settings of the kernel's connection tracking in a slot's network namespace.
//
// Promises: a connection whose first packet was not tracked is never tracked; an execution therefore cannot continue a
// connection of an earlier one. The entry of a half-closed or idle connection is kept while the connection lives, for
// up to five days. The entry of a closed or unanswered connection expires within seconds, and the kernel removes it
// within one minute; this matters because the memory for entries is charged to no cgroup.
// Does not cover: the number of entries that exist until they are removed. nf_conntrack_max is a setting of the machine
// and applies to each namespace separately.
#pragma once

#include "schemas/core/result.h"

namespace band::firewall {

// Called in the namespace of the calling thread, after the table nat was first used there.
Status tune_tracking();

}  // namespace band::firewall
