// The gateway's process, which serves executions that have net rules. It is started once, with the server.
//
// Promises: it receives executions only by the control channel; when it exits, the server exits. server/gateway/cage.h
// describes the privileges that it drops before it reads the first message.
#pragma once

#include <sys/types.h>

#include <string>

#include "schemas/core/result.h"
#include "server/base/service_process.h"

namespace band::run {

// How executions reach the gateway's process, and the uid that its processes must have.
struct GatewayDoor {
  int control = -1;  // for orders; -1: the server has no gateway
  uid_t user = 0;    // its processes run as this user
};

class Gateway {
 public:
  Gateway() = default;
  // Starts it in the namespaces of the calling thread, from which it then connects to servers. It starts as root and
  // drops its privileges itself.
  static Result<Gateway> start(const std::string& program);

  GatewayDoor door() const { return {process_.control(), user_}; }
  pid_t pid() const { return process_.pid(); }
  int pidfd() const { return process_.pidfd(); }  // readable: it has exited
  // Call it when every execution has been served. Returns false when the process did not exit within `ms` milliseconds;
  // the destructor then kills it.
  bool end(int ms) { return process_.end(ms); }

 private:
  base::ServiceProcess process_;
  uid_t user_ = 0;
};

}  // namespace band::run
