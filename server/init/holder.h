// The holder: pid 1 of a command view. It keeps wardens ready (warden.h). A warden starts one command that the broker
// has allowed, and reports the end of the command to the engine.
//
// Promises: each command runs with the slot's ids, in the Landlock domain of its program, under the seccomp filter, and
// with the descriptors that its shim sent. When the end of a command is reported, all processes that the command
// started are dead. If the shim disconnects, all processes of the command are killed. When the holder exits, the kernel
// kills all processes of the view.
// The holder stays uid 0, so that a command that calls kill(-1) cannot kill the holder. The holder keeps three
// capabilities, to change to the slot's ids and to kill the slot's processes. With these capabilities the holder can
// affect only processes in the pid namespace of this view.
#pragma once

#include "server/base/fd.h"
#include "server/init/setup.h"
#include "server/syscalls/syscalls.h"

namespace band::init {

// `deaths`: the signalfd of watch_children() (become.h). The holder exits when the engine has closed the control
// socket.
[[noreturn]] void hold_commands(const Setup& setup, const syscalls::Filter& filter, const base::Fd& deaths);

}  // namespace band::init
