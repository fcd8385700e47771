// Filters the packets that leave a slot: iptables chains of one execution, by libiptc, in the slot's network namespace.
//
// Promises: in a prepared namespace the policy of OUTPUT is DROP. From install() until the Chain is destroyed, packets
// of the slot's uid pass through the chain BAND-<id> of the table filter.
//   - Closed: the chain rejects and counts every packet immediately. connect(2) fails with ECONNREFUSED (TCP reset);
//     sending any other packet fails with EPERM.
//   - Doors: the chain accepts TCP connections that were redirected to the relay, and DNS to the resolver. It logs and
//     rejects every other packet. A chain of the same name in the table nat redirects TCP connections to the
//     destinations `to_relay` to the relay, and DNS to any destination to the resolver. A connection to the relay's own
//     address was not redirected, so it is rejected.
// Packets of other owners (answers of relay and resolver, packets that the kernel sends for closed sockets) pass only
// on connections that the chain has accepted. install() reads the chains back from the kernel, rule by rule, before it
// returns. Removing a Chain removes exactly the rules that install() added.
// Does not cover: Unix sockets; programs that listen on the ports of relay and resolver. (These ports are privileged,
// so no process of the slot's uid can bind them.)
//
// A commit costs about 12 microseconds, because a slot's tables hold nothing else. See iptables(8),
// iptables-extensions(8).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "schemas/core/result.h"
#include "schemas/rules/net_rules.h"

namespace band::firewall {

// Call it once, on the slot's thread, in a new network namespace: sets the policies of the namespace, and tests that
// this kernel has all features that chains need.
Status prepare();

struct Closed {};  // no network
// Relay and resolver of the execution's gateway are reachable.
struct Doors {
  std::uint16_t relay_port = 0, resolver_port = 0;  // on 127.0.0.1
  std::uint16_t log_group = 0;                      // group of nfnetlink_log for rejected packets
  std::vector<NetRules::Opening> to_relay;          // destinations whose TCP connections are redirected to the relay
};
using Egress = std::variant<Closed, Doors>;

struct Counters {
  std::uint64_t refused_packets = 0;
};

class Chain {
 public:
  Chain() = default;
  Chain(Chain&& other) noexcept;
  Chain& operator=(Chain&& other) noexcept;
  ~Chain();

  const std::string& name() const { return name_; }
  // Returns an error when the kernel does not show the chain: a missing counter must not be taken for zero.
  Result<Counters> counters() const;
  Status remove();  // for the error; the destructor also removes the chain

 private:
  friend Result<Chain> install(const std::string& id, uid_t uid, const Egress& egress);
  std::string name_;
  bool filters_ = false, redirects_ = false;  // the chain exists in the table filter, in the table nat
};

// Called on the slot's thread. `id`: at most 16 characters of [0-9a-f].
Result<Chain> install(const std::string& id, uid_t uid, const Egress& egress = Closed{});

}  // namespace band::firewall
