// An address of the Internet protocol as a value, and a range of them. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace band {

struct IpAddress {
  std::array<std::uint8_t, 16> bytes{};  // network order; IPv4 in the first four, zeros behind them
  bool ipv6 = false;

  // Four decimal numbers without leading zeros, or RFC 4291; no zone, no brackets, no prefix.
  static std::optional<IpAddress> parse(std::string_view text);
  static IpAddress v4(std::uint32_t host_order);

  unsigned bits() const { return ipv6 ? 128 : 32; }
  std::uint32_t v4_number() const;  // host order; of an IPv4 address only
  IpAddress unmapped() const;       // ::ffff:10.0.0.1 as 10.0.0.1; others as they are
  std::string text() const;
  std::string text_with_port(std::uint16_t port) const;  // "192.0.2.1:443", "[2001:db8::1]:443"

  bool operator==(const IpAddress&) const = default;
};

struct Cidr {
  IpAddress network;
  std::uint8_t bits = 0;  // 0..network.bits()

  // "10.0.0.0/8", or an address alone; nullopt also for bits that are set behind the prefix.
  static std::optional<Cidr> parse(std::string_view text);
  bool contains(const IpAddress& address) const;
  bool contains(const Cidr& inner) const;
  Cidr cleared() const;  // without the bits behind the prefix
  std::string text() const;

  bool operator==(const Cidr&) const = default;
};

}  // namespace band
