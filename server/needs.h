// What `serve` needs of this machine; `check` asks for the same without starting anything.
//
// Promises: what serve() refuses before it makes its first slot is refused by check(), and so is a kernel that gives no
// slot its namespaces and firewall.
// Does not cover: whether a whole sandbox holds, which each slot of a server tries before it serves (self_check.h);
// making control groups, of which only the place is looked at.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/admin/paths.h"
#include "server/floor/floor.h"
#include "server/policy/site_config.h"

namespace band::server {

// A program that is installed beside this one.
std::string beside(const admin::Paths& paths, const std::string& program);
Result<gid_t> runner_group();
Status kernel_has_landlock();
// Whatever the shell or the unit gave: http and the scripts inherit the one of cores, every slot spends of the other.
Status own_limits();
// That the hard limit of open files is enough for the slots and the queue that are configured.
Status room_for_descriptors(const policy::SiteConfig& config);
floor::Config floor_config(const admin::Paths& paths, const policy::SiteConfig& config, gid_t gid);

struct Checked {
  std::vector<Error> errors;
  std::vector<std::string> unchecked;  // what could not be looked at, with the reason
};
// For single-threaded programs: it forks. Changes nothing of this machine.
Checked check(const admin::Paths& paths, const policy::SiteConfig& config);

}  // namespace band::server
