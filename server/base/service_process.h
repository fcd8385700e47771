// A helper process of the server, started once, which receives its requests by a channel.
//
// Promises: the process inherits only descriptor 3 (its end of the channel) and stderr (its log). It is killed when
// this object is destroyed. Which privileges it drops is described in server/http/cage.h and server/gateway/cage.h.
#pragma once

#include <string>

#include "schemas/core/result.h"
#include "server/base/child.h"
#include "server/base/fd.h"

namespace band::base {

class ServiceProcess {
 public:
  ServiceProcess() = default;
  // Starts the program as root, in the namespaces of the calling thread; it changes to `user` itself.
  static Result<ServiceProcess> start(const std::string& program, const std::string& user);
  // Sets a send timeout (SO_SNDTIMEO): sending fails after `seconds` when the process does not read.
  Status bound_sends(int seconds);

  int control() const { return control_.get(); }  // SOCK_SEQPACKET; -1: no process was started
  pid_t pid() const { return child_.pid(); }
  int pidfd() const { return child_.pidfd(); }  // readable: it has exited
  // Closes the channel for writing: the process exits when it has completed its requests. Returns false when it did not
  // exit within `ms` milliseconds.
  bool end(int ms);

 private:
  Child child_;
  Fd control_;
};

}  // namespace band::base
