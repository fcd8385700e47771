// Filters the packets that leave a slot: iptables chains of one execution, by libiptc, in the slot's network namespace.
//
// Promises: in a prepared namespace OUTPUT's policy is DROP. From install() until the Chain is destroyed, packets of
// the slot's uid pass through the chain BAND-<id>. For a Closed execution it rejects and counts all packets immediately
// (a TCP reset: connect fails with ECONNREFUSED; sending anything else fails with EPERM). For Doors it accepts TCP that
// was redirected to the relay, and DNS to the resolver; it logs and rejects all other packets. A chain of the same name
// in the table nat redirects TCP for the openings to the relay, and DNS to any destination to the resolver. A
// connection to the relay's own address was not redirected, and is rejected. Packets of other owners (answers of relay
// and resolver, the kernel's packets for closed sockets) pass only on connections that the chain has accepted. Chains
// are read back from the kernel, rule by rule, before install() returns. Removing a Chain removes exactly what it
// added.
// Does not cover: Unix sockets; listeners on the ports of relay and resolver, which are privileged: no process of the
// slot's uid can bind them. Commits cost about 12 microseconds each, because a slot's tables hold nothing else. See
// iptables(8), iptables-extensions(8).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "schemas/core/result.h"
#include "schemas/rules/net_rules.h"

namespace band::firewall {

// On the slot's thread, once: the policies of the fresh namespace, and proof that this kernel has all that chains need.
Status prepare();

struct Closed {};
struct Doors {
  std::uint16_t relay_port = 0, resolver_port = 0;  // on 127.0.0.1
  std::uint16_t log_group = 0;                      // group of nfnetlink_log for rejected packets
  std::vector<NetRules::Opening> to_relay;
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
  // Returns an error when the kernel does not show the chain: unreadable counters must not pass for zero.
  Result<Counters> counters() const;
  Status remove();  // explicit, to get the error; the destructor also removes the chain

 private:
  friend Result<Chain> install(const std::string& id, uid_t uid, const Egress& egress);
  std::string name_;
  bool filters_ = false, redirects_ = false;  // the chain exists in the table filter, in the table nat
};

// Called on the slot's thread. `id`: at most 16 characters of [0-9a-f].
Result<Chain> install(const std::string& id, uid_t uid, const Egress& egress = Closed{});

}  // namespace band::firewall
