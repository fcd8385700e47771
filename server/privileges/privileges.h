// The identity and privileges of a process: ids, capabilities, no_new_privs. See capabilities(7), credentials(7).
//
// Promises: after become() the process has the given ids, no supplementary group, no capability in any set, an empty
// bounding set, and cannot gain a capability (no_new_privs). After give_up() the process has its previous ids, no
// capability in any set, an empty bounding set, and no_new_privs; and it is not dumpable, so that root owns the files
// in the process's /proc directory. Each function reads back the ids and capabilities that it has set.
// Does not cover: which files a process with these ids may open; the view (the file system of its sandbox) and Landlock
// restrict this.
#pragma once

#include <sys/types.h>

#include <vector>

#include "schemas/core/result.h"

namespace band::privileges {

struct Ids {
  uid_t uid = 0;
  gid_t gid = 0;
};

// Changes to the uid and gid `ids` and drops all privileges. Use it in a process that becomes a script or command, or
// that serves untrusted peers. Returns an error if the uid or the gid is 0.
Status become(Ids ids);

// Drops all privileges and keeps the ids. Use it in pid 1 of a script view (the namespaces in which a script runs):
// this process needs no capability, but stays uid 0, so that the script cannot send a signal to it.
Status give_up();

// Use it in pid 1 of a command view, which starts processes with the slot's uid and kills them. Does the same as
// give_up(), but keeps `capabilities` in the permitted and effective sets. Programs that the process executes do not
// get these capabilities.
Status give_up_but(const std::vector<int>& capabilities);

// Empties the bounding set; the other sets of the process do not change. Use it in a process from which many others are
// cloned: the functions above then find an empty bounding set in each clone, which saves some 80 system calls. Needs
// CAP_SETPCAP.
Status empty_bounding_set();

// Use it in the engine. Keeps only `capabilities` (numbers of linux/capability.h) in the permitted, effective and
// bounding sets. The bounding set is reduced, too, because a process with uid 0 would otherwise regain dropped
// capabilities at exec. Capabilities that the process does not have are skipped. Affects only the calling thread: call
// it before any other thread is started.
Status keep_only(const std::vector<int>& capabilities);

}  // namespace band::privileges
