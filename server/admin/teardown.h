// `band-server teardown`: takes away what setup installed, in reverse order. Safe to repeat.
#pragma once

#include "schemas/result.h"
#include "server/admin/paths.h"

namespace band::admin {

// Stops the server, then removes the unit, the state, run and log directories; with `purge` also the configuration, the
// tokens and the users. Never follows a link and never walks into a mounted file system: one below a directory to be
// removed is an error that names it, before anything in it is touched.
Status teardown(const Paths& paths, bool purge, const Progress& progress);

}  // namespace band::admin
