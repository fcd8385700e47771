// The network of one execution. An execution runs in a slot, which has a network namespace of its own. The network
// consists of the execution's chain in the firewall of this namespace. If the band has net rules, it also has listening
// sockets in the namespace, and the gateway process, which reads from these sockets and connects to the remote hosts.
// Sockets and process serve only this execution.
//
// Promises: without net rules no packet leaves the slot's namespace, and no gateway process is started. With net rules
// traffic leaves only through a gateway process that has sent its pidfd and its Ready event, and every event of this
// process is in the record (server/evidence/record.h). If the gateway process exits before its last event, the
// execution fails. When end() has returned true, the gateway process has exited and every connection of the execution
// is closed; only then may another execution use the slot. After end(), the kernel sends nothing more on these
// connections. Therefore bytes that the remote hosts have not acknowledged before end() may be lost.
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
  // Installs the chain, and orders a gateway process if there are net rules. Call start() on the slot's thread. Returns
  // before the gateway process is ready, which takes some milliseconds more.
  static Result<std::unique_ptr<Network>> start(const Parts& parts);
  ~Network() { (void)end(1'000); }

  int fd() const { return events_.get(); }  // for poll(2), -1: do not poll; when it is readable, call on_readable()
  bool serves() const { return serves_; }   // a gateway process was ordered, and end() has not returned true yet
  bool lives() const;                       // false: the gateway process of this execution has exited
  // Returns true when the gateway process is ready, or when the band has no net rules.
  bool ready() const { return ready_us_ != 0 || !serves_; }
  Status on_readable(Record& record);  // adds events to `record`; after an error the caller must end the execution

  // Reads events until the last event. The gateway process sends the last event when the remote hosts have acknowledged
  // all bytes that the script sent, but not later than two seconds after the call. Returns an error when the last event
  // did not arrive, because other events may then be missing, too. Call finish() when the script and its commands are
  // dead.
  Status finish(Record& record);
  // Returns true when the gateway process has sent its last event, or when the execution has no gateway process. No
  // data is sent any more then; the process may still be exiting.
  bool finished() const { return all_read_ || !serves_; }
  // Kills the gateway process immediately. Exception: if finish() has read its last event, the process has `ms`
  // milliseconds to exit by itself. Waits until the process has exited and all sockets in the network namespace are
  // closed, but not longer than `ms` milliseconds. Returns false when this time was not sufficient; call end() again.
  bool end(int ms);

  // Returns true when the execution has net rules and has sent a packet, or when the packet counters cannot be read. A
  // packet may have left a trace in the network namespace: a connection in TIME-WAIT, or an entry of connection
  // tracking. Sockets that have sent no packet leave no trace: the kernel removes such a socket when the last process
  // that has it open exits. Call it before end(), when the script and its commands are dead.
  bool left_traces() const;
  Result<firewall::Counters> counters() const { return chain_.counters(); }
  Status remove() { return chain_.remove(); }  // removes the firewall's chain

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
  std::int64_t ready_us_ =
      0;                    // when the gateway process was ready, to which the times in events are relative; 0: not yet
  bool finishing_ = false;  // finish() was called
  bool last_event_ = false;  // the last event was read
  bool all_read_ = false;    // the last event and then EOF were read
};

}  // namespace band::run
