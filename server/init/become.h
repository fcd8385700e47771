// Turns a forked process into a script or command. The process was forked by a warden (warden.h) or by band-init, which
// is pid 1 of a view (the namespaces in which the script runs, or its declared commands). Between fork and exec, the
// process applies the inside layers in a fixed order. Inside layers are the restrictions that a process sets on itself
// before it executes the script or command (docs/architecture.md 3). If a step fails, the caller must not start the
// script or command.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"
#include "server/init/setup.h"

namespace band::init {

// Unblocks all signals and applies all inside layers except terminal and seccomp, in this order: session, umask,
// limits, ids and capabilities, working directory (`directory`, a path in the view), Landlock (`domain`, a ruleset of
// landlock::prepare()). The caller then does the other two steps: if the script has a terminal, it makes this terminal
// the controlling terminal; and it loads the last seccomp filter, unless the process has inherited the filter. Then the
// caller calls execute().
Status become(const Setup& setup, const std::string& directory, const base::Fd& domain);

// Calls execve(2) with the file `path`. Returns only when execve(2) has failed.
Error execute(const char* path, const std::vector<std::string>& argv, const std::vector<std::string>& env);

// Blocks SIGCHLD, unblocks all other signals, and returns a non-blocking signalfd for SIGCHLD; returns an empty Fd when
// signalfd(2) failed.
base::Fd watch_children();
// Reads all pending signals from `deaths`, the signalfd of watch_children(). The kernel may merge several SIGCHLD into
// one; therefore call wait4(2) to find out which child processes died.
void drain(const base::Fd& deaths);

}  // namespace band::init
