// The warden of one command: a process between the command and the holder, which is pid 1 of the command view
// (holder.h). The warden is the subreaper of all processes that the command starts (PR_SET_CHILD_SUBREAPER, prctl(2)):
// when the parent of such a process exits, the process becomes a child of the warden. Therefore the warden can kill all
// these processes: it kills its own children until it has no child left.
#pragma once

#include <vector>

#include "server/base/fd.h"
#include "server/init/setup.h"

namespace band::init {

// Call ward() in a process that the holder has forked for this warden. `domains`: the rulesets that landlock::prepare()
// made from Setup::domains, in the same order. Waits for a StartCommand (setup.h) on the control socket, then writes
// one byte to the pipe `taken`; the holder reads the byte and forks the next warden. While the command runs, the warden
// sends to it the signals that its shim forwards. (The shim is the program that the script started under the command's
// name.) When the command has ended or the shim has disconnected, the warden kills all processes of the command, sends
// CommandEnded to the engine, and then sends the exit status to the shim.
[[noreturn]] void ward(const Setup& setup, const std::vector<base::Fd>& domains, int taken);

}  // namespace band::init
