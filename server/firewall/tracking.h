// How connections are tracked in a slot's network namespace: settings of the kernel's connection tracking.
//
// Promises: a connection is known from its first packet on or not at all, so that none of an earlier execution is
// picked up; one that is half closed, or silent, is not forgotten while it lives (within five days); what has ended,
// or nobody has answered, is out of date within seconds and swept away within a minute, because the kernel's memory for
// it is nobody's.
// Does not cover: how much that is meanwhile; nf_conntrack_max is the machine's to set, and counts for each namespace.
#pragma once

#include "schemas/core/result.h"

namespace band::firewall {

// In the namespace of the calling thread, once the table nat has been used there.
Status tune_tracking();

}  // namespace band::firewall
