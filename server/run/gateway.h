// The gateway's process, which serves executions that have net rules: started once, with the server.
//
// Promises: it is told of executions by the control channel alone; when it ends, the server ends. What it takes from
// itself before it hears of anything is server/gateway/cage.h's.
#pragma once

#include <string>

#include "schemas/result.h"
#include "server/base/child.h"
#include "server/base/fd.h"

namespace band::run {

class Gateway {
 public:
  Gateway() = default;
  // In the namespaces of the calling thread: from there it dials. As root, which it leaves itself.
  static Result<Gateway> start(const std::string& program);

  int control() const { return control_.get(); }  // for orders; -1: there is none
  pid_t pid() const { return child_.pid(); }
  int pidfd() const { return child_.pidfd(); }  // readable: it has ended
  // Every execution has been served. False: later than `ms`, and it is killed when this object goes.
  bool end(int ms);

 private:
  base::Child child_;
  base::Fd control_;
};

}  // namespace band::run
