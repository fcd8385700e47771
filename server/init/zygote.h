// The zygote: the process from which each band-init is cloned. band-init is pid 1 of a view (the namespaces in which
// the script runs, or its declared commands). The server starts the zygote once, with bubblewrap
// (server/execution/zygote.h).
//
// Promises: each view gets new namespaces (pid, mount, ipc, uts, cgroup), and the network namespace and the control
// groups of its slot. Its root is the tree of its stage (the file tree that the engine has built for this view). The
// view's mount namespace contains no other mounts. It begins as a copy of the zygote's mount namespace, which contains
// only the program band-init, read-only. This copy is unmounted after pivot_root(2). The zygote and all processes of
// all views have the seccomp filter for the set-up of views, and an empty bounding set (capabilities(7)). The zygote
// reads no script, input, or other content of a request.
// Does not cover: /proc and the inside layers (docs/architecture.md 3), which band-init sets up after the return of
// await_order().
// See clone(2), pivot_root(2), move_mount(2), setns(2).
#pragma once

#include "server/base/fd.h"
#include "server/syscalls/syscalls.h"

namespace band::init {

// The result of await_order() in a cloned process.
struct View {
  syscalls::Filter filter;  // for the parts that band-init loads
  base::Fd script;          // script view: the read end of the pipe for the Script (setup.h), close-on-exec
};

// Call it in the zygote: it empties the bounding set, receives the seccomp filter, loads the part for the set-up of
// views, and clones a process for each order (order.h). It does not return in the zygote. It returns in each cloned
// process, which is pid 1 of the new view and has only these descriptors: 0 to 2, as attached to the order, kControlFd,
// and View::script. The zygote exits when the engine has closed the channel. It also exits, with a message on stderr,
// when its own set-up fails or an order is malformed. The kernel then kills all views, because the zygote is pid 1 of a
// pid namespace and each view's pid namespace is below it.
View await_order();

}  // namespace band::init
