// The identity and privileges of a process: ids, capabilities, no_new_privs. See capabilities(7), credentials(7).
//
// Promises: after become() the process has the slot's ids, no supplementary group, no capability in any set, an empty
// bounding set, and cannot gain any (no_new_privs). After give_up() it keeps its ids and has no capability in any set,
// an empty bounding set and no_new_privs. All of this is read back.
// Does not cover: the files that the ids may open by the host's permissions; the view and Landlock restrict these.
#pragma once

#include <sys/types.h>

#include <vector>

#include "schemas/core/result.h"

namespace band::privileges {

struct Ids {
  uid_t uid = 0;
  gid_t gid = 0;
};

// For a process that becomes a script or command, or that serves untrusted peers. Refuses uid 0 and gid 0.
Status become(Ids ids);

// For pid 1 of a view, which stays uid 0 so that no script can signal it, and needs no capability.
Status give_up();

// For pid 1 of a command view, which starts processes with the slot's uid and kills them: as give_up(), but
// `capabilities` stay in the permitted and effective sets. Programs that it executes do not get them.
Status give_up_but(const std::vector<int>& capabilities);

// For the engine: keeps only these capabilities (numbers of linux/capability.h) in the permitted, effective and
// bounding sets. With a full bounding set, uid 0 would regain dropped ones at exec. Capabilities that the machine does
// not grant are skipped. Affects only the calling thread: call it before any thread is started.
Status keep_only(const std::vector<int>& capabilities);

// Returns an error unless this process has no capability and cannot gain one.
Status verify_none();

}  // namespace band::privileges
