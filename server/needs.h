// Checks what the server requires of this machine, without starting a server.
//
// Promises: if root calls check(), it reports each error of the configuration or of the machine with which serve()
// would end before it starts its first slot. For other users, Checked::unchecked names the checks that need root.
// check() also reports when the kernel cannot make the namespaces, the overlays or the firewall of a slot. A server
// that already runs is not an error.
// Does not cover: whether a complete sandbox works (each slot tests this before it serves, server/engine/self_check.h);
// whether control groups can be made (check() only tests access to their parent directory).
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/admin/paths.h"
#include "server/floor/floor.h"
#include "server/policy/site_config.h"

namespace band::server {

// Returns the path of a program that is installed in the same directory as band-server.
std::string beside(const admin::Paths& paths, const std::string& program);
Result<gid_t> runner_group();  // the gid of the group band-runner; an error when the group does not exist
Status kernel_has_landlock();  // an error when the kernel does not have Landlock
// Sets two resource limits of this process, regardless of the limits that the process has inherited: the limit for core
// files, which band-http and the scripts inherit, and the limit for open files, which all slots share.
Status own_limits();
// Checks that the hard limit of open files is high enough for the configured slots and queue.
Status room_for_descriptors(const policy::SiteConfig& config);
floor::Config floor_config(const admin::Paths& paths, const policy::SiteConfig& config, gid_t gid);

struct Checked {
  std::vector<Error> errors;
  std::vector<std::string> unchecked;  // checks that were not possible, with the reason
};
// Call check() in a single-threaded program, because check() forks. Does not change the machine.
Checked check(const admin::Paths& paths, const policy::SiteConfig& config);

}  // namespace band::server
