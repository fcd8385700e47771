// Filters the packets that leave a slot. A slot is the place for one execution at a time; it has a uid and a network
// namespace of its own. Each execution has its own iptables chains in this namespace, installed with libiptc. An
// execution with net rules also has a gateway, the only process through which its data leaves the namespace. The
// gateway's resolver answers DNS queries; its relay checks and forwards TCP connections (server/gateway).
//
// Promises: after prepare() the policy of OUTPUT in the namespace is DROP. From install() until the Chain is removed,
// packets of the slot's uid pass through the chain BAND-<id> of the table filter. What this chain does depends on the
// type of install()'s parameter `egress`:
//   - Closed: the chain counts every packet and rejects it immediately. connect(2) fails with ECONNREFUSED (TCP reset);
//     sending any other packet fails with EPERM.
//   - Doors: the chain accepts TCP connections that were redirected to the relay, and DNS queries to the resolver. The
//     chain logs and rejects every other packet. A chain of the same name in the table nat redirects TCP connections to
//     the destinations in `to_relay` to the relay, and DNS queries to any destination to the resolver. A connection
//     that a program opens directly to the relay's address is rejected, because it was not redirected.
// Some packets do not belong to the slot's uid: the answers of relay and resolver, and packets that the kernel itself
// sends, for example for closed sockets. Such a packet passes only if it belongs to a connection that the chain has
// accepted, or if it is a TCP reset of the kernel.
// Before install() returns, it reads the chains back from the kernel and compares each rule with the rule that it has
// added; a difference is an error. Removing a Chain removes exactly the rules that install() added.
// Does not cover: Unix sockets; connections to a program that itself listens on the port of the relay or of the
// resolver. (These ports are privileged, so no process of the slot's uid can bind them.)
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

// Sets the policies of OUTPUT and FORWARD to DROP, adds the rules that OUTPUT has permanently, and sets up connection
// tracking (tracking.h). Tests with a trial chain that this kernel has all features that chains need. Call it on the
// slot's thread, once in each new network namespace.
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

// The chains of one execution. All functions, also the destructor, act on the network namespace of the calling thread.
// Therefore call them on the slot's thread. The destructor removes the chains.
class Chain {
 public:
  Chain() = default;
  Chain(Chain&& other) noexcept;
  Chain& operator=(Chain&& other) noexcept;
  ~Chain();

  const std::string& name() const { return name_; }
  // Returns zeros when this object has no chain. Returns an error when the chain is not in the kernel's table: a
  // missing counter must not be taken for zero.
  Result<Counters> counters() const;
  Status remove();  // like the destructor, but returns the error

 private:
  friend Result<Chain> install(const std::string& id, uid_t uid, const Egress& egress);
  std::string name_;
  bool filters_ = false, redirects_ = false;  // which tables have the chain: filter, nat
};

// Call it on the slot's thread. `id`: the execution's id, at most 16 characters of [0-9a-f]. `uid`: the slot's uid.
// Returns an error when OUTPUT still has rules of an earlier execution. On an error, install() removes what it has
// added.
Result<Chain> install(const std::string& id, uid_t uid, const Egress& egress = Closed{});

}  // namespace band::firewall
