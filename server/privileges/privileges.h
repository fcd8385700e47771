// The identity and privileges of a process: ids, capabilities, no_new_privs. See capabilities(7), credentials(7).
//
// Promises: after become() the process has the slot's ids, no supplementary group, no capability in any set, an empty
// bounding set, and cannot gain a capability (no_new_privs). After give_up() the process has its previous ids, no
// capability in any set, an empty bounding set, and no_new_privs. Each function reads back what it has set.
// Does not cover: which files a process with these ids may open; the view and Landlock restrict this.
#pragma once

#include <sys/types.h>

#include <vector>

#include "schemas/core/result.h"

namespace band::privileges {

struct Ids {
  uid_t uid = 0;
  gid_t gid = 0;
};

// Use it in a process that becomes a script or command, or that serves untrusted peers. Returns an error if the uid or
// the gid is 0.
Status become(Ids ids);

// Use it in pid 1 of a script view: this process needs no capability, but stays uid 0, so that the script cannot send a
// signal to it.
Status give_up();

// Use it in pid 1 of a command view, which starts processes with the slot's uid and kills them. Does the same as
// give_up(), but keeps `capabilities` in the permitted and effective sets. Programs that the process executes do not
// get these capabilities.
Status give_up_but(const std::vector<int>& capabilities);

// Use it in a process from which many others are cloned: their calls of the functions above then have nothing to drop,
// which saves some 80 system calls in each. The other sets of the process do not change. Needs CAP_SETPCAP.
Status empty_bounding_set();

// Use it in the engine. Keeps only `capabilities` (numbers of linux/capability.h) in the permitted, effective and
// bounding sets. The bounding set is reduced, too, because a process with uid 0 would otherwise regain dropped
// capabilities at exec. Capabilities that the process does not have are skipped. Affects only the calling thread: call
// it before any other thread is started.
Status keep_only(const std::vector<int>& capabilities);

}  // namespace band::privileges
