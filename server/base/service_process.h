// A process of band's own beside the server, started once and told by a channel what to do.
//
// Promises: it has nothing of the caller's but the end of the channel, descriptor 3, and the place for its words,
// stderr; it is killed when this object goes. What it takes from itself is its own story (server/http/cage.h,
// server/gateway/cage.h).
#pragma once

#include <string>

#include "schemas/core/result.h"
#include "server/base/child.h"
#include "server/base/fd.h"

namespace band::base {

class ServiceProcess {
 public:
  ServiceProcess() = default;
  // In the namespaces of the calling thread, as root: it becomes `user` itself.
  static Result<ServiceProcess> start(const std::string& program, const std::string& user);
  // Messages that it does not take are an error after so many seconds, instead of a wait for ever (SO_SNDTIMEO).
  Status bound_sends(int seconds);

  int control() const { return control_.get(); }  // SOCK_SEQPACKET; -1: there is none
  pid_t pid() const { return child_.pid(); }
  int pidfd() const { return child_.pidfd(); }  // readable: it has ended
  // No more messages: it ends when it has done what it was told. False: not within `ms` milliseconds.
  bool end(int ms);

 private:
  Child child_;
  Fd control_;
};

}  // namespace band::base
