// The gateway's process, which serves executions that have net rules: started once, with the server.
//
// Promises: it is told of executions by the control channel alone; when it ends, the server ends. What it takes from
// itself before it hears of anything is server/gateway/cage.h's.
#pragma once

#include <sys/types.h>

#include <string>

#include "schemas/core/result.h"
#include "server/base/service_process.h"

namespace band::run {

// How an execution comes to it, and who then answers.
struct GatewayDoor {
  int control = -1;  // for orders; -1: there is none
  uid_t user = 0;    // whom its processes run as
};

class Gateway {
 public:
  Gateway() = default;
  // In the namespaces of the calling thread: from there it dials. As root, which it leaves itself.
  static Result<Gateway> start(const std::string& program);

  GatewayDoor door() const { return {process_.control(), user_}; }
  pid_t pid() const { return process_.pid(); }
  int pidfd() const { return process_.pidfd(); }  // readable: it has ended
  // Every execution has been served. False: later than `ms`, and it is killed when this object goes.
  bool end(int ms) { return process_.end(ms); }

 private:
  base::ServiceProcess process_;
  uid_t user_ = 0;
};

}  // namespace band::run
