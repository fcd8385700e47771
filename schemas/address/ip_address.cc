#include "schemas/address/ip_address.h"

#include <arpa/inet.h>

#include <algorithm>

#include "schemas/core/decimal.h"

namespace band {
namespace {

// Not inet_pton(3): some implementations accept leading zeros, which others read as octal.
bool parse_ipv4(std::string_view text, std::uint8_t* out) {
  for (int i = 0; i < 4; ++i) {
    const std::size_t dot = i < 3 ? text.find('.') : text.size();
    if (dot == std::string_view::npos) return false;
    const auto octet = parse_decimal(text.substr(0, dot), 255);
    if (!octet) return false;
    out[i] = static_cast<std::uint8_t>(*octet);
    text = i < 3 ? text.substr(dot + 1) : std::string_view{};
  }
  return true;
}

std::uint8_t mask_of_byte(unsigned byte, unsigned bits) {
  if (bits >= byte * 8 + 8) return 0xff;
  if (bits <= byte * 8) return 0;
  return static_cast<std::uint8_t>(0xff00u >> (bits - byte * 8));
}

}  // namespace

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
  IpAddress address;
  if (parse_ipv4(text, address.bytes.data())) return address;
  address = {};
  address.ipv6 = true;
  // inet_pton would stop at a NUL byte.
  if (text.size() >= INET6_ADDRSTRLEN || text.find('\0') != std::string_view::npos) return std::nullopt;
  if (::inet_pton(AF_INET6, std::string(text).c_str(), address.bytes.data()) != 1) return std::nullopt;
  return address;
}

IpAddress IpAddress::v4(std::uint32_t host_order) {
  IpAddress address;
  for (unsigned i = 0; i < 4; ++i) address.bytes[i] = static_cast<std::uint8_t>(host_order >> (24 - 8 * i));
  return address;
}

std::uint32_t IpAddress::v4_number() const {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

IpAddress IpAddress::unmapped() const {
  constexpr std::array<std::uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (!ipv6 || !std::equal(kMapped.begin(), kMapped.end(), bytes.begin())) return *this;
  IpAddress inner;
  std::copy(bytes.begin() + 12, bytes.end(), inner.bytes.begin());
  return inner;
}

std::string IpAddress::text() const {
  char buffer[INET6_ADDRSTRLEN] = "";
  ::inet_ntop(ipv6 ? AF_INET6 : AF_INET, bytes.data(), buffer, sizeof buffer);
  return buffer;
}

std::string IpAddress::text_with_port(std::uint16_t port) const {
  return (ipv6 ? "[" + text() + "]:" : text() + ":") + std::to_string(port);
}

std::optional<Cidr> Cidr::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto address = IpAddress::parse(text.substr(0, slash));
  if (!address) return std::nullopt;
  Cidr range{*address, static_cast<std::uint8_t>(address->bits())};
  if (slash == std::string_view::npos) return range;
  const auto bits = parse_decimal(text.substr(slash + 1), address->bits());
  if (!bits) return std::nullopt;
  range.bits = static_cast<std::uint8_t>(*bits);
  if (range.cleared() != range) return std::nullopt;
  return range;
}

bool Cidr::contains(const IpAddress& address) const {
  return address.ipv6 == network.ipv6 && Cidr{address, bits}.cleared().network == network;
}

bool Cidr::contains(const Cidr& inner) const { return inner.bits >= bits && contains(inner.network); }

Cidr Cidr::cleared() const {
  Cidr range = *this;
  for (unsigned i = 0; i < range.network.bytes.size(); ++i) range.network.bytes[i] &= mask_of_byte(i, bits);
  return range;
}

std::string Cidr::text() const { return network.text() + "/" + std::to_string(bits); }

}  // namespace band
