// An IP address (version 4 or 6) as a value, and a range of addresses. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace band {

struct IpAddress {
  std::array<std::uint8_t, 16> bytes{};  // network order; IPv4 in the first four bytes, then zeros
  bool ipv6 = false;

  // Accepts an IPv4 address of four decimal numbers without leading zeros, or an IPv6 address in the text form of RFC
  // 4291, without zone, brackets and prefix.
  static std::optional<IpAddress> parse(std::string_view text);
  static IpAddress v4(std::uint32_t host_order);

  unsigned bits() const { return ipv6 ? 128 : 32; }
  std::uint32_t v4_number() const;  // host order; only for IPv4 addresses
  IpAddress unmapped() const;       // 10.0.0.1 for ::ffff:10.0.0.1; every other address is returned unchanged
  std::string text() const;
  std::string text_with_port(std::uint16_t port) const;  // "192.0.2.1:443", "[2001:db8::1]:443"

  bool operator==(const IpAddress&) const = default;
};

struct Cidr {
  IpAddress network;
  std::uint8_t bits = 0;  // the length of the prefix: 0..network.bits()

  // Accepts "10.0.0.0/8" or a single address. Returns nullopt for any other text, also if a bit after the prefix is 1
  // ("10.0.0.1/8").
  static std::optional<Cidr> parse(std::string_view text);
  bool contains(const IpAddress& address) const;
  bool contains(const Cidr& inner) const;
  Cidr cleared() const;  // with the bits after the prefix set to 0
  std::string text() const;

  bool operator==(const Cidr&) const = default;
};

}  // namespace band
