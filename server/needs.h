// The server's requirements of this machine; `check` tests them without starting anything.
//
// Promises: check() refuses what serve() refuses before it makes its first slot, and a kernel that gives no slot its
// namespaces and firewall.
// Does not cover: whether a complete sandbox works, which each slot of a server tests before it serves (self_check.h);
// creating control groups: only their parent directory is checked.
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
Result<gid_t> runner_group();
Status kernel_has_landlock();
// Sets the limits of core files and open files, independent of the caller's: band-http and the scripts inherit the
// first, all slots use the second.
Status own_limits();
// Checks that the hard limit of open files suffices for the configured slots and queue.
Status room_for_descriptors(const policy::SiteConfig& config);
floor::Config floor_config(const admin::Paths& paths, const policy::SiteConfig& config, gid_t gid);

struct Checked {
  std::vector<Error> errors;
  std::vector<std::string> unchecked;  // checks that were not possible, with the reason
};
// For single-threaded programs: it forks. Does not change the machine.
Checked check(const admin::Paths& paths, const policy::SiteConfig& config);

}  // namespace band::server
