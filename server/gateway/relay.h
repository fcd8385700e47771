// The relay of one execution: accepts the script's connections and runs a RelaySession for each. Resets a new
// connection immediately if the execution already has the maximum number of open connections.
#pragma once

#include <optional>
#include <set>

#include "server/gateway/accept.h"
#include "server/gateway/relay_session.h"

namespace band::gateway {

class Relay {
 public:
  explicit Relay(Services& services);
  Relay(const Relay&) = delete;  // `services` has callbacks that refer to this object
  Relay& operator=(const Relay&) = delete;

  awaitable<void> serve(base::Fd listener);  // does not return
  // Call it when the script and its commands are dead. Returns when the servers have acknowledged all data that the
  // script and its commands sent, or at the deadline. When this process exits after that, the kernel resets only the
  // connections with unacknowledged data.
  awaitable<void> flush(Deadline deadline);
  void report_open();  // call it at the end of the execution: reports the bytes that each open connection has carried

 private:
  awaitable<void> serve_one(std::shared_ptr<RelaySession> connection);

  bool flushed();

  Services& services_;
  std::optional<Acceptor> clients_;
  std::set<std::shared_ptr<RelaySession>> open_;
};

}  // namespace band::gateway
