// The holder: band-init as pid 1 of a command view (the namespaces in which the declared commands of one execution
// run). The holder keeps wardens ready (warden.h). A warden starts one command that the broker (server/broker) has
// allowed, and reports the end of the command to the engine.
//
// Promises: each command runs with the slot's uid and gid, in the Landlock domain of its program, under the seccomp
// filter, and with the descriptors that its shim sent. (The shim is the program that the script started under the
// command's name. It has sent the command line to the broker.) When the end of a command is reported, all processes
// that the command started are dead. If the shim disconnects, all processes of the command are killed. When the holder
// exits, the kernel kills all processes of the view.
// The holder stays uid 0, so that a command that calls kill(-1) cannot kill the holder. The holder keeps three
// capabilities: CAP_SETUID and CAP_SETGID to change to the slot's ids, and CAP_KILL to kill the slot's processes. With
// these capabilities the holder can affect only processes in the pid namespace of this view.
#pragma once

#include "server/base/fd.h"
#include "server/init/setup.h"
#include "server/syscalls/syscalls.h"

namespace band::init {

// Makes pid 1 of a command view the holder. Reports Started when the holder is ready; reports Failed and exits when a
// step before fails (setup.h). `filter`: the seccomp filter, of which the part for scripts and commands is loaded.
// `deaths`: the signalfd of watch_children() (become.h). The holder exits when the engine has closed the control
// socket, and when a warden was killed or has failed.
[[noreturn]] void hold_commands(const Setup& setup, const syscalls::Filter& filter, const base::Fd& deaths);

}  // namespace band::init
