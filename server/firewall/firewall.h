// What the kernel lets out of a slot: iptables chains of one execution, by libiptc, in the slot's network namespace.
//
// Promises: in a prepared namespace OUTPUT's policy is DROP; from install() to the end of the Chain packets of the
// slot's uid go through the chain BAND-<id>. That of a Closed execution rejects them all, at once (a TCP reset: connect
// answers ECONNREFUSED; sending anything else answers EPERM), and counts them. That of Doors lets through TCP that was
// redirected to the relay, and DNS to the resolver; it logs and rejects the rest; a chain of the same name in the table
// nat redirects TCP to the openings to the relay and DNS, wherever it is sent, to the resolver. A connection to the
// relay's own address is none that was redirected, and is rejected. What is not the slot's (the relay's and resolver's
// answers, what the kernel says for closed sockets) passes on connections that the chain has let through, and nowhere
// else. Chains are read back from the kernel, rule by rule, before install() returns. Removing a Chain removes exactly
// what it added.
// Does not cover: Unix sockets, and who listens on the ports of relay and resolver: privileged ones, which nobody of
// the slot's uid can bind. Commits cost about 12 microseconds each, because a slot's tables hold nothing else. See
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
  std::uint16_t relay_port = 0, resolver_port = 0;  // of 127.0.0.1
  std::uint16_t log_group = 0;                      // of nfnetlink_log: what is rejected
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
  // An error when the kernel does not show the chain: what cannot be read is not nothing.
  Result<Counters> counters() const;
  Status remove();  // explicit, to hear of errors; the destructor does it too

 private:
  friend Result<Chain> install(const std::string& id, uid_t uid, const Egress& egress);
  std::string name_;
  bool filters_ = false, redirects_ = false;  // it has its part in the table filter, and nat
};

// On the slot's thread. `id`: at most 16 characters of [0-9a-f].
Result<Chain> install(const std::string& id, uid_t uid, const Egress& egress = Closed{});

}  // namespace band::firewall
