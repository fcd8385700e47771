// What the firewall refused, as it logged it (NFLOG): packets, each told as a refusal with the reason.
//
// Covers what never comes to the relay: other ports and addresses, UDP, ICMP. Promise: whatever a packet contains,
// reading ends within it. Does not cover: packets that the kernel had no room to log; the engine tells how many were
// refused in all.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "schemas/rules/net_rules.h"
#include "server/gateway/asio.h"
#include "server/gateway/names.h"
#include "server/gateway/teller.h"

namespace band::gateway {

struct Packet {
  IpAddress to;
  std::uint8_t protocol = 0;  // IPPROTO_*
  std::uint16_t port = 0;     // 0: has none
};

// From the first bytes of an IPv4 packet. nullopt: it is none, or too short.
std::optional<Packet> read_packet(std::span<const std::uint8_t> bytes);

// For ever; `netlink` is bound to the firewall's group.
awaitable<void> follow_refusals(asio::io_context& loop, base::Fd netlink, const NetRules& rules, const Names& names,
                                Teller& teller);

}  // namespace band::gateway
