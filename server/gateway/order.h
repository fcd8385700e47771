// How the engine starts the gateway of one execution. Some processes of band-gateway are started in advance. They share
// one socket, the control channel, and each of them waits there for an *order*: a text with five descriptors. Four of
// the descriptors are sockets in the network namespace in which the script runs. The fifth, Order::events, is a
// connection to the engine. The engine then sends the policy (the rules and the operator's settings) on this
// connection.
// server/execution/network.h is the engine's side of this exchange.
#pragma once

#include "schemas/core/result.h"
#include "server/base/fd.h"
#include "server/gateway_link/policy.h"

namespace band::gateway {

inline constexpr int kControlFd = 3;  // SOCK_SEQPACKET; all processes that wait for an order share this descriptor
// The text of an order. The descriptors are attached in the sequence in which struct Order declares them.
inline constexpr std::string_view kOrderText = "begin";
// The largest policy has 4,096 rules of 1 KiB, together 4 MiB. In JSON, a character of a rule can take several bytes,
// so the limit is four times as large.
inline constexpr std::size_t kMaxPolicyBytes = 16 << 20;

struct Order {
  // A stream socket. The gateway reads the policy's size (8 bytes, native byte order) and the policy (JSON) from it,
  // and then writes events to it. When the engine shuts down its side, the execution has ended.
  base::Fd events;
  base::Fd relay;         // TCP, listening
  base::Fd resolver_udp;  // bound
  base::Fd resolver_tcp;  // listening
  base::Fd refusals;      // netlink: packets that the firewall logged
};

// Waits for an order. When several processes wait, the first process that reads the order gets it. The result has no
// descriptors when the engine has closed the control channel.
Result<Order> next_order();
// Reads the policy. `events`: the descriptor Order::events. Returns an error when the policy is cut off, too large or
// malformed.
Result<Policy> read_policy(int events);

}  // namespace band::gateway
