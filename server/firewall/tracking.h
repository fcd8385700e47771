// Settings of the kernel's connection tracking in a slot's network namespace.
//
// Promises: a connection is tracked from its first packet or never, so connections of an earlier execution are not
// picked up. The entry of a half-closed or idle connection is kept while the connection lives, for up to five days. The
// entry of a closed or unanswered connection expires within seconds and is removed within one minute, because its
// kernel memory is charged to no cgroup.
// Does not cover the number of entries until then: nf_conntrack_max is a setting of the machine and applies to each
// namespace separately.
#pragma once

#include "schemas/core/result.h"

namespace band::firewall {

// Called in the namespace of the calling thread, after the table nat was first used there.
Status tune_tracking();

}  // namespace band::firewall
