// Takes the connections of one execution, as many at a time as its limit says; one more is refused at once.
#pragma once

#include <set>

#include "server/gateway/connection.h"

namespace band::gateway {

class Relay {
 public:
  explicit Relay(Services& services);
  Relay(const Relay&) = delete;  // `services` has it
  Relay& operator=(const Relay&) = delete;

  awaitable<void> serve(base::Fd listener);  // for ever
  void tell_open();                          // what every open connection has carried: the execution ends

 private:
  awaitable<void> serve_one(std::shared_ptr<Connection> connection);

  Services& services_;
  std::set<std::shared_ptr<Connection>> open_;
};

}  // namespace band::gateway
