// The gateway's process, which serves executions that have net rules. It is started once, when the server starts. Each
// of its child processes serves one execution.
//
// Promises: the process receives orders to serve an execution only over the control channel. When the process exits,
// the server exits. server/gateway/cage.h describes the privileges that the process drops before it reads the first
// message.
#pragma once

#include <sys/types.h>

#include <string>

#include "schemas/core/result.h"
#include "server/base/service_process.h"

namespace band::run {

// How an execution reaches the gateway: the control channel, and the uid that the processes of the gateway must have.
struct GatewayDoor {
  int control = -1;  // channel for orders; -1: the server has no gateway
  uid_t user = 0;    // the gateway's processes run as this user
};

class Gateway {
 public:
  Gateway() = default;
  // Starts the process `program` in the namespaces of the calling thread; the gateway connects to servers from there.
  // The process starts as root and drops its privileges itself.
  static Result<Gateway> start(const std::string& program);

  GatewayDoor door() const { return {process_.control(), user_}; }
  pid_t pid() const { return process_.pid(); }
  int pidfd() const { return process_.pidfd(); }  // readable: the process has exited
  // Call it when every execution has been served. Returns false when the process did not exit within `ms` milliseconds;
  // the destructor then kills it.
  bool end(int ms) { return process_.end(ms); }

 private:
  base::ServiceProcess process_;
  uid_t user_ = 0;
};

}  // namespace band::run
