// `band-server serve`: from a configuration file to a running engine with its http process, until told to stop.
#pragma once

#include <string>

#include "schemas/core/result.h"
#include "server/admin/paths.h"
#include "server/policy/site_config.h"

namespace band::server {

// Returns when SIGTERM or SIGINT came and everything has ended: done() is exit code 0.
Status serve(const admin::Paths& paths, const policy::SiteConfig& config);

// What a server that was killed could not take away itself: its control groups. Only when none runs.
void remove_leftovers(const admin::Paths& paths);

}  // namespace band::server
