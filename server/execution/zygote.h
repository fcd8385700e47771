// The zygote of the server (server/init/zygote.h): the process from which the band-init of each view is cloned. A view
// is a set of namespaces with a file tree of its own, in which a script or the declared commands run. band-init is its
// pid 1.
//
// The server starts the zygote once, with bubblewrap. The zygote's mount namespace contains only the program band-init,
// read-only, and the zygote has only the capabilities that band-init needs to set up a view. A clone of the zygote
// starts faster than a new bubblewrap with a new band-init, because the kernel need not load the two programs for each
// view.
//
// Promises: orders reach the zygote only over the control channel. When the zygote exits, the kernel kills all views,
// and the server exits.
#pragma once

#include <string>

#include "schemas/core/result.h"
#include "server/base/service_process.h"
#include "server/syscalls/syscalls.h"

namespace band::run {

inline constexpr const char* kBubblewrap = "/usr/bin/bwrap";

class Zygote {
 public:
  Zygote() = default;
  // Starts the program `band_init` (its path) in bubblewrap, sends it the seccomp filter for all views, and waits until
  // it is the zygote. Call start() on a thread that is in the control groups of the server and not in the namespaces of
  // a slot.
  static Result<Zygote> start(const std::string& band_init, const syscalls::Filter& filter);

  int control() const { return process_.control(); }  // channel for orders (server/init/order.h)
  pid_t pid() const { return process_.pid(); }        // bubblewrap's first process, the parent of the zygote
  // Ends the zygote. Call end() when all executions have ended. Returns false when the zygote did not exit within `ms`
  // milliseconds; the destructor then kills the zygote.
  bool end(int ms) { return process_.end(ms); }
  // Returns the error for a zygote that has exited although end() was not called.
  static Error exited();

 private:
  Status await_ready() const;

  base::ServiceProcess process_;
};

// Returns true when the zygote has exited. `control`: Zygote::control().
bool zygote_exited(int control);

}  // namespace band::run
