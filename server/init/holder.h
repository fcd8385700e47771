// The holder: pid 1 of a command view. It starts the commands that the broker has allowed and reports their ends.
//
// Promises: each command runs with the slot's ids, in the Landlock domain of its program, under the seccomp filter, and
// with the descriptors that its shim sent. All processes of a command are dead before its end is reported; they are
// killed when its shim disconnects. When the holder exits, the kernel kills all processes of the view.
// The holder stays uid 0, so that kill(-1) of a command cannot reach it. It keeps the capabilities to become the slot's
// user and to kill the slot's processes; both affect only processes of this view's pid namespace.
#pragma once

#include "server/base/fd.h"
#include "server/init/setup.h"

namespace band::init {

// `deaths`: the signalfd of watch_children(). Exits on end of file of the control socket.
[[noreturn]] void hold_commands(const Setup& setup, const base::Fd& deaths);

}  // namespace band::init
