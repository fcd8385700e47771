// Who a process is and what it may do: ids, capabilities, no_new_privs. See capabilities(7), credentials(7).
//
// Promises: after become() the process has the slot's ids, no supplementary group, no capability in any set, an empty
// bounding set, and no way to gain any (no_new_privs); after give_up() it keeps its ids and has no capability in any
// set, an empty bounding set and no_new_privs; each is read back.
// Does not cover: what the ids themselves may open (host permissions), which is the view's and Landlock's business.
#pragma once

#include <sys/types.h>

#include <vector>

#include "schemas/core/result.h"

namespace band::privileges {

struct Ids {
  uid_t uid = 0;
  gid_t gid = 0;
};

// For a process that becomes a script or command, or a server that strangers talk to. Refuses uid 0 and gid 0.
Status become(Ids ids);

// For pid 1 of a view, which stays uid 0 so that no script can signal it, and needs nothing else.
Status give_up();

// For pid 1 of a command view, which makes processes of the slot's uid and kills them: as give_up(), but these stay in
// the permitted and effective sets. Nothing that it executes gets them.
Status give_up_but(const std::vector<int>& capabilities);

// For the engine: keeps only these capabilities (numbers of linux/capability.h) in the permitted, effective and
// bounding sets; uid 0 would regain dropped ones at exec otherwise. Ones that the machine does not grant are left out.
// Calling thread only: call it before any thread is started.
Status keep_only(const std::vector<int>& capabilities);

// Reads back that this process has no capability at all and cannot gain one.
Status verify_none();

}  // namespace band::privileges
