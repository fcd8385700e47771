// The network of one execution: the chain of its slot's firewall and, when there are net rules, the sockets and the
// process of the gateway that serve it alone.
//
// Promises: without net rules nothing leaves, and nothing is started. With them nothing leaves but through a process
// that has sent who it is and that it is ready, and whose every event so far is in the record; when it ends before its
// time the execution does. When end() is true, that process is gone and so is every connection of the execution, before
// another one has the slot: what servers have not acknowledged by then never leaves the machine.
// Does not cover: what the gateway lets through (server/gateway), what the kernel does (server/firewall).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "schemas/core/result.h"
#include "server/base/channel.h"
#include "server/base/fd.h"
#include "server/evidence/record.h"
#include "server/execution/gateway.h"
#include "server/firewall/firewall.h"
#include "server/gateway_link/policy.h"

namespace band::run {

class Network {
 public:
  struct Parts {
    uid_t uid = 0;                                 // of the slot
    const std::string& id;                         // of the execution
    const std::optional<gateway::Policy>& policy;  // of net rules; nullopt: there are none
    GatewayDoor gateway;
  };
  // On the slot's thread. The gateway then needs some milliseconds: ready() tells.
  static Result<std::unique_ptr<Network>> start(const Parts& parts);
  ~Network() { (void)end(1'000); }

  int fd() const { return events_.get(); }  // readable: call on_readable()
  bool serves() const { return serves_; }
  bool lives() const;  // no process serves it, or the one that does has not ended
  bool ready() const { return ready_us_ != 0 || !serves_; }
  Status on_readable(Record& record);  // an error is the end of the execution

  // After the death of the script and its commands: reads events until the gateway's last one, which it sends when
  // servers have acknowledged what they were sent, or two seconds later. An error: events are missing.
  Status finish(Record& record);
  // Ends what is left. False: something of the execution's network may still live.
  bool end(int ms);

  Result<firewall::Counters> counters() const { return chain_.counters(); }
  Status remove() { return chain_.remove(); }

 private:
  Network() = default;
  Status order(const Parts& parts);
  Status record_event(const std::string& line, Record& record);
  Status its_own(const base::Message& message) const;
  bool quiet() const;

  firewall::Chain chain_;
  bool serves_ = false;  // there is, or was, a process for it
  base::Fd events_, process_;
  uid_t gateway_user_ = 0;
  std::string unread_;  // the beginning of a line
  std::int64_t ordered_us_ = 0;
  std::int64_t ready_us_ = 0;  // when the gateway began to count its time; 0: it has not sent that it is ready
  bool finishing_ = false;     // finish() was called
  bool last_event_ = false;    // its last event was read
  bool all_read_ = false;      // and the end of file behind it
};

}  // namespace band::run
