// How the engine has one execution served: an order on the control channel, with the sockets of the slot's network
// namespace, and the policy on the first of them. The engine's side is server/execution/network.h.
#pragma once

#include "schemas/core/result.h"
#include "server/base/fd.h"
#include "server/gateway_link/policy.h"

namespace band::gateway {

inline constexpr int kControlFd = 3;                      // SOCK_SEQPACKET, shared by all that wait for an order
inline constexpr std::string_view kOrderText = "begin";   // with five descriptors, in the order of Order
inline constexpr std::size_t kMaxPolicyBytes = 16 << 20;  // 4,096 rules of 1 KiB are 4 MiB

struct Order {
  base::Fd events;  // stream: the policy comes in (its size as 8 bytes, native, then JSON), then its end; events go out
  base::Fd relay;   // TCP, listens
  base::Fd resolver_udp;  // bound
  base::Fd resolver_tcp;  // listens
  base::Fd refusals;      // netlink: packets that the firewall logged
};

// Whoever of the waiting processes reads first has it. No descriptor: the engine has gone.
Result<Order> next_order();
Result<Policy> read_policy(int events);

}  // namespace band::gateway
