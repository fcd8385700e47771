// Turns a child process of band-init into a process of the skill: applies the inside layers in a fixed order, between
// fork and exec. The caller treats a failed step as fatal.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"
#include "server/init/setup.h"

namespace band::init {

// Applies in this order: session, umask, limits, ids, working directory, Landlock. The caller then loads the seccomp
// filter, unless it is already loaded, and calls execute().
Status become(const Setup& setup, const std::string& directory, const base::Fd& domain);

// Calls execve(2). Returns only when that failed.
Error execute(const char* path, const std::vector<std::string>& argv, const std::vector<std::string>& env);

// Blocks SIGCHLD and returns a signalfd for it; an empty Fd when signalfd(2) failed.
base::Fd watch_children();
// Reads all pending signals from `deaths`. Signals merge: only wait4(2) shows which children died.
void drain(const base::Fd& deaths);

}  // namespace band::init
