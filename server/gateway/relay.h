// Accepts the connections of one execution. Connections beyond the limit of open connections are reset immediately.
#pragma once

#include <optional>
#include <set>

#include "server/gateway/accept.h"
#include "server/gateway/relay_session.h"

namespace band::gateway {

class Relay {
 public:
  explicit Relay(Services& services);
  Relay(const Relay&) = delete;  // callbacks in `services` refer to this object
  Relay& operator=(const Relay&) = delete;

  awaitable<void> serve(base::Fd listener);  // does not return
  // Called when the script and its commands are dead. Returns at the deadline, or when the servers have acknowledged
  // all data that the script and its commands sent. The exit of this process then resets the connections with
  // unacknowledged data.
  awaitable<void> flush(Deadline deadline);
  void tell_open();  // called at the end of the execution: reports how many bytes each open connection has carried

 private:
  awaitable<void> serve_one(std::shared_ptr<RelaySession> connection);

  bool flushed();

  Services& services_;
  std::optional<Acceptor> clients_;
  std::set<std::shared_ptr<RelaySession>> open_;
};

}  // namespace band::gateway
