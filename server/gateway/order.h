// How the engine starts the gateway of one execution: an order on the control channel, with the sockets of the slot's
// network namespace; the policy follows on the first of them. The engine's side is server/execution/network.h.
#pragma once

#include "schemas/core/result.h"
#include "server/base/fd.h"
#include "server/gateway_link/policy.h"

namespace band::gateway {

inline constexpr int kControlFd = 3;  // SOCK_SEQPACKET, shared by all processes that wait for an order
inline constexpr std::string_view kOrderText = "begin";   // with five descriptors, in the order of Order
inline constexpr std::size_t kMaxPolicyBytes = 16 << 20;  // 4,096 rules of 1 KiB are 4 MiB

struct Order {
  base::Fd events;        // stream; in: the policy's size (8 bytes, native), its JSON, EOF; out: events
  base::Fd relay;         // TCP, listening
  base::Fd resolver_udp;  // bound
  base::Fd resolver_tcp;  // listening
  base::Fd refusals;      // netlink: packets that the firewall logged
};

// The first waiting process that reads the order consumes it. The order has no descriptors when the engine has closed
// the control channel.
Result<Order> next_order();
Result<Policy> read_policy(int events);

}  // namespace band::gateway
