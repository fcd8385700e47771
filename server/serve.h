// `band-server serve`: starts the engine, band-http and band-gateway with one configuration, and runs until it is
// stopped.
#pragma once

#include <string>

#include "schemas/core/result.h"
#include "server/admin/paths.h"
#include "server/policy/site_config.h"

namespace band::server {

// SIGTERM or SIGINT ends the waiting and running executions; then serve() returns done() (exit code 0). Returns an
// error when the server cannot start, or when band-http or band-gateway has exited.
Status serve(const admin::Paths& paths, const policy::SiteConfig& config);

// Removes the control groups that a killed server could not remove. Call it only when no server runs.
void remove_leftovers(const admin::Paths& paths);

}  // namespace band::server
