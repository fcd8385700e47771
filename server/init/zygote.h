// The zygote: the process from which each band-init is cloned. The server starts it once, with bubblewrap
// (server/execution/zygote.h).
//
// Promises: each view gets new namespaces (pid, mount, ipc, uts, cgroup), the network namespace and the control groups
// of its slot, and the tree of its stage as root. The mount namespace of the view never contains another file of the
// machine than those of this tree, because the zygote's own mount namespace contains only the program band-init,
// read-only. The
// zygote reads no script, input, or other content of a request.
// Does not cover: /proc and the inside layers, which band-init sets up after the return of await_order().
// See clone(2), pivot_root(2), move_mount(2), setns(2).
#pragma once

namespace band::init {

// Serves orders (order.h). Returns only in the processes that are cloned for an order: such a process is pid 1 of the
// new view, and has the descriptors 0 to 2 of the order and kControlFd. Exits when the engine has closed the channel.
// The kernel then kills all views, because the zygote is pid 1 of a pid namespace and each view's pid namespace is
// below it.
void await_order();

}  // namespace band::init
