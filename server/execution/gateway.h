// Starts and ends the program band-gateway. The server starts it once, as one parent process. Each child process that
// it forks becomes the gateway of one execution with net rules: all connections of this execution pass through it.
//
// Promises: the processes receive orders to serve an execution (server/gateway/order.h) only over the control channel.
// When the parent process exits, the server exits. server/gateway/cage.h describes the privileges that the processes
// drop before they read the first message.
#pragma once

#include <sys/types.h>

#include <string>

#include "schemas/core/result.h"
#include "server/base/service_process.h"

namespace band::run {

// What an execution needs to start its gateway: the control channel, and the uid that the gateway's process must have.
struct GatewayDoor {
  int control = -1;  // channel for orders; -1: the server has no gateway
  uid_t user = 0;    // uid of the gateway's processes
};

class Gateway {
 public:
  Gateway() = default;
  // Starts the process `program` in the namespaces of the calling thread; the gateway connects to servers from these
  // namespaces. The process starts as root, and then drops its privileges itself.
  static Result<Gateway> start(const std::string& program);

  GatewayDoor door() const { return {process_.control(), user_}; }
  pid_t pid() const { return process_.pid(); }
  int pidfd() const { return process_.pidfd(); }  // readable when the process has exited
  // Ends the process. Call end() when all executions have ended. Returns false when the process did not exit within
  // `ms` milliseconds; the destructor then kills the process.
  bool end(int ms) { return process_.end(ms); }

 private:
  base::ServiceProcess process_;
  uid_t user_ = 0;
};

}  // namespace band::run
