// Filters the packets that leave a slot. Each execution has its own iptables chains in the slot's network namespace,
// installed with libiptc.
//
// Promises: after prepare() the policy of OUTPUT in the namespace is DROP. From install() until the Chain is destroyed,
// packets of the slot's uid pass through the chain BAND-<id> of the table filter. The type of `egress` decides what
// this chain does:
//   - Closed: the chain counts every packet and rejects it immediately. connect(2) fails with ECONNREFUSED (TCP reset);
//     sending any other packet fails with EPERM.
//   - Doors: the chain accepts TCP connections that were redirected to the relay, and DNS queries to the resolver. The
//     chain logs and rejects every other packet. A chain of the same name in the table nat redirects two kinds of
//     traffic: TCP connections to the destinations in `to_relay` are redirected to the relay, and DNS queries to any
//     destination are redirected to the resolver. A connection that a program opens directly to the relay's address is
//     rejected, because it was not redirected.
// Packets that do not belong to the slot's uid (answers of relay and resolver, packets that the kernel sends for closed
// sockets) pass only on connections that the chain has accepted. Before install() returns, it reads the chains back
// from the kernel and compares each rule. Removing a Chain removes exactly the rules that install() added.
// Does not cover: Unix sockets; programs that listen on the ports of relay and resolver. (These ports are privileged,
// so no process of the slot's uid can bind them.)
//
// Committing a table to the kernel takes about 12 microseconds, because the tables of a slot's namespace contain only
// these rules. See iptables(8), iptables-extensions(8).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "schemas/core/result.h"
#include "schemas/rules/net_rules.h"

namespace band::firewall {

// Sets the policies of the network namespace, and tests that this kernel has all features that chains need. Call it
// once, on the slot's thread, in a new network namespace.
Status prepare();

struct Closed {};  // no network
// Programs of the slot can reach the relay and the resolver of the execution's gateway.
struct Doors {
  std::uint16_t relay_port = 0, resolver_port = 0;  // on 127.0.0.1
  std::uint16_t log_group = 0;                      // group of nfnetlink_log to which rejected packets are logged
  std::vector<NetRules::Opening> to_relay;          // destinations whose TCP connections are redirected to the relay
};
using Egress = std::variant<Closed, Doors>;

struct Counters {
  std::uint64_t packets = 0;  // all packets that have passed through the chain, accepted or refused
  std::uint64_t refused_packets = 0;
};

class Chain {
 public:
  Chain() = default;
  Chain(Chain&& other) noexcept;
  Chain& operator=(Chain&& other) noexcept;
  ~Chain();

  const std::string& name() const { return name_; }
  // Returns an error when the chain is not in the kernel's table: a missing counter must not be taken for zero.
  Result<Counters> counters() const;
  Status remove();  // like the destructor, but returns the error

 private:
  friend Result<Chain> install(const std::string& id, uid_t uid, const Egress& egress);
  std::string name_;
  bool filters_ = false, redirects_ = false;  // which tables have the chain: filter, nat
};

// Called on the slot's thread. `id`: at most 16 characters of [0-9a-f].
Result<Chain> install(const std::string& id, uid_t uid, const Egress& egress = Closed{});

}  // namespace band::firewall
