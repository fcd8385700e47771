// What the kernel lets out of a slot: one iptables chain per execution, by libiptc, in the slot's network namespace.
//
// Promises: in a prepared namespace OUTPUT's policy is DROP; from install() to the end of the Chain packets of the
// slot's uid go through the chain BAND-<id>, which rejects them at once (a TCP reset: connect answers
// ECONNREFUSED; sending anything else answers EPERM) and counts them; the chain is read back from the kernel before
// install() returns. Removing a Chain removes exactly what it added. Does not cover: Unix sockets, and packets of other
// uids than the slot's (the policy drops those). Commits cost about 12 microseconds, because a slot's table holds
// nothing else. See iptables(8), iptables-extensions(8).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "schemas/result.h"

namespace band::firewall {

// On the slot's thread, once: the policy of the fresh namespace.
Status prepare();

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
  Counters counters() const;
  Status remove();  // explicit, to hear of errors; the destructor does it too

 private:
  friend Result<Chain> install(const std::string& id, uid_t uid);
  std::string name_;
};

// On the slot's thread. `id`: at most 16 characters of [0-9a-f].
Result<Chain> install(const std::string& id, uid_t uid);

}  // namespace band::firewall
