// `band-server teardown`: removes what setup installed, in reverse order. Safe to repeat.
#pragma once

#include <string>

#include "schemas/core/result.h"
#include "server/admin/paths.h"

namespace band::admin {

// Removes, in this order, the run directory, the state directory, the logs, and with `purge` the configuration and the
// tokens. Also removes the directory of the logs, and with `purge` that of the configuration, if it is then empty.
// Never follows a link. If a file system is mounted in the run or state directory, nothing in this directory is
// removed, and the error names the mount point. Stops with an error at the first file or directory that cannot be
// removed; those before it are then removed.
Status remove_files(const Paths& paths, bool purge, const Progress& progress);

// Returns a human-readable line that lists the existing files and users that only a teardown with `purge` removes; ""
// when none of them exists.
std::string kept(const Paths& paths);

// Stops the server, then removes the unit and calls remove_files(). With `purge`, then removes the users and groups
// that setup created. Without `purge`, the last line sent to `progress` is kept(), unless it is "". Returns at the
// first error. Needs root.
Status teardown(const Paths& paths, bool purge, const Progress& progress);

}  // namespace band::admin
