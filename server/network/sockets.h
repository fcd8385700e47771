// The listening sockets of an execution's relay and resolver, and the netlink socket on which the kernel logs rejected
// packets. The resolver answers the DNS queries of the sandbox, and the relay forwards the allowed connections; both
// are parts of the gateway (server/gateway). All these sockets are in the network namespace of the slot (the place for
// one execution at a time).
//
// Promises: the sockets are new for each execution, so connections and packets that were queued for an earlier
// execution are never read. The sockets are non-blocking and close-on-exec. The ports are privileged, so no process of
// the slot's uid can bind them, neither during the execution nor before it.
// Does not cover: which processes may connect (server/firewall); which data the connections carry (server/gateway).
#pragma once

#include <cstdint>

#include "schemas/core/result.h"
#include "server/base/fd.h"

namespace band::network {

inline constexpr std::uint16_t kRelayPort = 1, kResolverPort = 53;  // on 127.0.0.1
inline constexpr std::uint16_t kRefusalGroup = 1;  // group of nfnetlink_log; each network namespace has its own groups

struct Sockets {
  base::Fd relay;  // TCP, listening; the kernel buffers up to 1 MiB each way for an accepted connection
  // Bound to 127.0.0.1. If the socket were bound to the wildcard address, the answer to a redirected query would have a
  // source address that the querying program does not expect.
  base::Fd resolver_udp;
  base::Fd resolver_tcp;
  // Netlink: the first 128 bytes of each logged packet. While the socket's buffer is full, the kernel logs no packets,
  // and reading from the socket returns no error for them.
  base::Fd refusals;
};

// Call it on the slot's thread: the sockets are made in the network namespace of the calling thread.
Result<Sockets> open_sockets();

}  // namespace band::network
