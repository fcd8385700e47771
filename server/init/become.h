// Turns a child process of band-init into a script or command: between fork and exec it applies the inside layers
// (docs/architecture.md 3) in a fixed order. If a step fails, the caller must not start the script or command.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"
#include "server/init/setup.h"

namespace band::init {

// Applies all inside layers except terminal and seccomp, in this order: session, umask, limits, ids and capabilities,
// working directory (`directory`), Landlock (`domain`, a ruleset of landlock::prepare()). The caller must then load the
// seccomp filter, unless the process has inherited the filter, and call execute().
Status become(const Setup& setup, const std::string& directory, const base::Fd& domain);

// Calls execve(2). Returns only when execve(2) has failed.
Error execute(const char* path, const std::vector<std::string>& argv, const std::vector<std::string>& env);

// Blocks SIGCHLD and returns a signalfd for this signal; returns an empty Fd when signalfd(2) failed.
base::Fd watch_children();
// Reads all pending signals from `deaths`, the signalfd of watch_children(). The kernel may merge several SIGCHLD into
// one; therefore call wait4(2) to find out which child processes died.
void drain(const base::Fd& deaths);

}  // namespace band::init
