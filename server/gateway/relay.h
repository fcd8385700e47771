// Takes the connections of one execution, as many at a time as its limit says; one more is refused at once.
#pragma once

#include <optional>
#include <set>

#include "server/gateway/accept.h"
#include "server/gateway/relay_session.h"

namespace band::gateway {

class Relay {
 public:
  explicit Relay(Services& services);
  Relay(const Relay&) = delete;  // `services` has it
  Relay& operator=(const Relay&) = delete;

  awaitable<void> serve(base::Fd listener);  // for ever
  // After the death of the script and its commands: returns when servers have acknowledged everything that these sent,
  // or at the deadline. The end of this process then resets the connections that are not acknowledged.
  awaitable<void> flush(Deadline deadline);
  void tell_open();  // what every open connection has carried: the execution ends

 private:
  awaitable<void> serve_one(std::shared_ptr<RelaySession> connection);

  bool flushed();

  Services& services_;
  std::optional<Acceptor> clients_;
  std::set<std::shared_ptr<RelaySession>> open_;
};

}  // namespace band::gateway
