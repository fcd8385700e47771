// A helper process of the server, such as band-http. The server starts the process once, and sends requests to the
// process over a channel (channel.h).
//
// Promises: the process inherits only its end of the channel, as descriptor 3, and the server's stderr, as descriptors
// 1 and 2. Its stdin is /dev/null. The destructor of ServiceProcess kills the process. server/http/cage.h and
// server/gateway/cage.h describe the privileges that band-http and band-gateway drop.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/child.h"
#include "server/base/fd.h"

namespace band::base {

class ServiceProcess {
 public:
  ServiceProcess() = default;
  // Starts a command line (`argv[0]` is a path) with the user and the namespaces of the calling thread.
  static Result<ServiceProcess> start(std::vector<std::string> argv);
  // Sets a send timeout (SO_SNDTIMEO) on the channel: if the process does not read, send() returns an error after
  // `seconds` seconds.
  Status bound_sends(int seconds);

  int control() const { return control_.get(); }  // SOCK_SEQPACKET; -1: no process was started
  pid_t pid() const { return child_.pid(); }
  int pidfd() const { return child_.pidfd(); }  // readable when the process has exited
  // Closes the channel for writing. The process then completes the requests that it has received, and exits. Returns
  // false when the process has not exited after `ms` milliseconds.
  bool end(int ms);

 private:
  Child child_;
  Fd control_;
};

}  // namespace band::base
