// `band-server teardown`: removes what setup installed, in reverse order. Safe to repeat.
#pragma once

#include <string>

#include "schemas/core/result.h"
#include "server/admin/paths.h"

namespace band::admin {

// Removes the run and state directories and the logs; with `purge` also the configuration and the tokens. The parent
// directories of the removed files are removed when they are empty. Never follows a link and never enters a mounted
// file system: if a file system is mounted below a directory to be removed, nothing in this directory is removed, and
// the error names the mount point.
Status remove_files(const Paths& paths, bool purge, const Progress& progress);

// Returns a human-readable line that names what a teardown without `purge` does not remove; "" when it removes
// everything.
std::string kept(const Paths& paths);

// Stops the server, then removes the unit and the files; with `purge` also the users. Without `purge`, the last line
// sent to `progress` is kept(). Needs root.
Status teardown(const Paths& paths, bool purge, const Progress& progress);

}  // namespace band::admin
