// `band-server serve`: starts the engine, the zygote, band-http and band-gateway with one configuration, and runs until
// it receives a signal or a part fails.
#pragma once

#include <string>

#include "schemas/core/result.h"
#include "server/admin/paths.h"
#include "server/policy/site_config.h"

namespace band::server {

// SIGTERM or SIGINT ends the waiting and running executions; then serve() returns done() (exit code 0). Returns an
// error when the server cannot start, or when band-http, band-gateway or the zygote has exited.
Status serve(const admin::Paths& paths, const policy::SiteConfig& config);

// Removes the control groups that killed servers could not remove. `former`: what admin::former_server_ran() returned
// before the run directory was removed. Call it only when no server of this run directory runs.
void remove_leftovers(const admin::Paths& paths, bool former);

}  // namespace band::server
