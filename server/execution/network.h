// The network of one execution: the chain of its slot's firewall and, with net rules, the sockets and the gateway
// process that serve only this execution.
//
// Promises: without net rules no packet leaves the slot, and no gateway process is started. With net rules traffic
// leaves only through a gateway process that has sent its pidfd and its Ready event, and every event of this process is
// in the record. If the gateway process exits before its last event, the execution fails. When end() has returned true,
// the gateway process has exited and every connection of the execution is closed; only then may another execution use
// the slot. Nothing is sent on these connections after that, so bytes that a server has not acknowledged by then may be
// lost.
// Does not cover: which connections the gateway allows (server/gateway), and the firewall's rules (server/firewall).
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
    uid_t uid = 0;                                 // the slot's uid
    const std::string& id;                         // the name of the chain is BAND-<id>
    const std::optional<gateway::Policy>& policy;  // nullopt: no net rules
    GatewayDoor gateway;
  };
  // Call it on the slot's thread. The gateway becomes ready some milliseconds after the return: see ready().
  static Result<std::unique_ptr<Network>> start(const Parts& parts);
  ~Network() { (void)end(1'000); }

  int fd() const { return events_.get(); }  // when it is readable, call on_readable()
  bool serves() const { return serves_; }
  bool lives() const;  // false: the gateway process of this execution has exited
  bool ready() const { return ready_us_ != 0 || !serves_; }
  Status on_readable(Record& record);  // an error ends the execution

  // Reads events until the last event. The gateway process sends the last event when the servers have acknowledged all
  // bytes, or after two seconds. Returns an error when the last event did not arrive, because other events may then be
  // missing, too. Call it when the script and its commands are dead.
  Status finish(Record& record);
  // Kills the gateway process if it is still running. Waits at most `ms` milliseconds until this process has exited and
  // all sockets in the network namespace are closed. Returns false when the time was not sufficient.
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
  bool serves_ = false;  // a gateway process was ordered for this execution, and end() has not returned true
  base::Fd events_, process_;
  uid_t gateway_user_ = 0;
  std::string unread_;  // the beginning of an incomplete line
  std::int64_t ordered_us_ = 0;
  std::int64_t ready_us_ = 0;  // time zero of the times in the events; 0: no Ready event yet
  bool finishing_ = false;     // finish() was called
  bool last_event_ = false;    // the last event was read
  bool all_read_ = false;      // the last event and then EOF were read
};

}  // namespace band::run
