// Reads the packets that the firewall rejected and logged (NFLOG), and reports each packet as a refusal with a reason.
//
// These are the packets that are neither redirected to the relay (relay.h) nor DNS queries: TCP packets to denied ports
// or addresses, UDP packets and ICMP packets. Promise: for any packet content, reading stays within the packet. Does
// not cover: packets that the kernel could not log, because the socket's buffer was full. The engine reports the total
// number of rejected packets, logged or not.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "schemas/rules/net_rules.h"
#include "server/gateway/asio.h"
#include "server/gateway/event_reporter.h"
#include "server/gateway/names.h"

namespace band::gateway {

struct Packet {
  IpAddress to;
  std::uint8_t protocol = 0;  // IPPROTO_*
  std::uint16_t port = 0;     // 0: no port
};

// Reads the first bytes of an IPv4 packet. Returns nullopt when `bytes` are not the beginning of an IPv4 packet, or are
// shorter than a header without options.
std::optional<Packet> read_packet(std::span<const std::uint8_t> bytes);

// Reads and reports packets until the socket fails; then throws std::system_error. `netlink` is bound to the log group
// of the firewall.
awaitable<void> follow_refusals(asio::io_context& loop, base::Fd netlink, const NetRules& rules, const Names& names,
                                EventReporter& reporter);

}  // namespace band::gateway
