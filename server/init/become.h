// From a process of band-init to a process of the skill's: the inside layers, in order. For a child between fork and
// exec; each step is fatal, and its place in the order has a reason.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"
#include "server/init/setup.h"

namespace band::init {

// Session, priority, limits, ids, working directory, Landlock. What is left for the caller: the filter of system calls,
// if it is not loaded already, and exec.
Status become(const Setup& setup, const std::string& directory, const base::Fd& domain);

// execve(2), which returns only when it failed.
Error execute(const char* path, const std::vector<std::string>& argv, const std::vector<std::string>& env);

// A descriptor that tells of dead children, with SIGCHLD blocked.
base::Fd watch_children();
// Takes what `deaths` has to tell. Signals merge: what died is asked of wait4(2).
void drain(const base::Fd& deaths);

}  // namespace band::init
