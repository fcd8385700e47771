#include "schemas/address/special_addresses.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace band {
namespace {

struct Block {
  std::string_view cidr;
  std::string_view use;
};

// The first block that contains an address determines its use, so narrower blocks precede wider ones.
// Sources: iana.org/assignments/iana-ipv4-special-registry, iana-ipv6-special-registry; multicast: RFC 5771, RFC 4291.
constexpr Block kSpecial[] = {
    {"0.0.0.0/8", "\"this network\" (RFC 791)"},
    {"10.0.0.0/8", "private (RFC 1918)"},
    {"100.64.0.0/10", "shared by a provider's customers (CGNAT, RFC 6598)"},
    {"127.0.0.0/8", "loopback"},
    {"169.254.0.0/16", "link-local"},
    {"172.16.0.0/12", "private (RFC 1918)"},
    {"192.0.0.0/24", "for protocols (RFC 6890)"},
    {"192.0.2.0/24", "for documentation (TEST-NET-1)"},
    {"192.88.99.0/24", "6to4 relay anycast"},
    {"192.168.0.0/16", "private (RFC 1918)"},
    {"198.18.0.0/15", "for benchmarks (RFC 2544)"},
    {"198.51.100.0/24", "for documentation (TEST-NET-2)"},
    {"203.0.113.0/24", "for documentation (TEST-NET-3)"},
    {"224.0.0.0/4", "multicast"},
    {"255.255.255.255/32", "broadcast"},
    {"240.0.0.0/4", "reserved"},
    {"::/128", "the unspecified address"},
    {"::1/128", "loopback"},
    {"::ffff:0:0/96", "an IPv4 address in an IPv6 one (mapped)"},
    {"::/96", "an IPv4 address in an IPv6 one (compatible)"},
    {"::ffff:0:0:0/96", "an IPv4 address in an IPv6 one (translated)"},
    {"64:ff9b::/96", "an IPv4 address in an IPv6 one (NAT64)"},
    {"64:ff9b:1::/48", "an IPv4 address in an IPv6 one (local NAT64)"},
    {"100::/64", "a black hole (RFC 6666)"},
    {"100:0:0:1::/64", "a placeholder (RFC 9780)"},
    {"2001::/32", "an IPv4 address in an IPv6 one (Teredo)"},
    {"2001:2::/48", "for benchmarks (RFC 5180)"},
    {"2001:10::/28", "ORCHID"},
    {"2001:20::/28", "ORCHID"},
    {"2001::/23", "for protocols (RFC 2928)"},
    {"2001:db8::/32", "for documentation"},
    {"2002::/16", "an IPv4 address in an IPv6 one (6to4)"},
    {"3fff::/20", "for documentation"},
    {"5f00::/16", "SRv6"},
    {"fc00::/7", "private (RFC 4193)"},
    {"fe80::/10", "link-local"},
    {"fec0::/10", "site-local"},
    {"ff00::/8", "multicast"},
};

constexpr std::string_view kMetadata[] = {
    "169.254.169.254",  // Amazon, Azure, Google, Oracle, DigitalOcean, OpenStack, Hetzner
    "169.254.169.253",  // Amazon: resolver
    "169.254.170.2",    // Amazon: credentials of containers (ECS)
    "169.254.170.23",   // Amazon: credentials of pods (EKS)
    "169.254.0.23",     // Tencent
    "169.254.42.42",    // Scaleway
    "168.63.129.16",    // Azure: wire server; a public address
    "100.100.100.200",  // Alibaba
    "192.0.0.192",      // Oracle
    "fd00:ec2::254",    // Amazon
    "fd00:ec2::253",    // Amazon: resolver
    "fd00:ec2::23",     // Amazon: credentials of pods
    "fd20:ce::254",     // Google
    "fd00:42::42",      // Scaleway
    "fe80::a9fe:a9fe",  // OpenStack
};

struct Use {
  Cidr block;
  std::string_view use;
};

const std::vector<Use>& special_uses() {
  static const std::vector<Use> uses = [] {
    std::vector<Use> result;
    for (const Block& block : kSpecial) result.push_back({Cidr::parse(block.cidr).value(), block.use});
    return result;
  }();
  return uses;
}

const std::vector<IpAddress>& metadata() {
  static const std::vector<IpAddress> addresses = [] {
    std::vector<IpAddress> result;
    for (const std::string_view text : kMetadata) result.push_back(IpAddress::parse(text).value());
    return result;
  }();
  return addresses;
}

IpAddress ipv4_at(const IpAddress& address, std::size_t offset, std::uint8_t mask = 0) {
  IpAddress inner;
  for (std::size_t i = 0; i < 4; ++i) inner.bytes[i] = static_cast<std::uint8_t>(address.bytes[offset + i] ^ mask);
  return inner;
}

// Returns the IPv4 addresses that an IPv6 address may contain: the last 32 bits (mapped, compatible, NAT64), the bits
// after 2002 (6to4), the last 32 bits inverted (Teredo).
std::vector<IpAddress> inside(const IpAddress& address) {
  if (!address.ipv6) return {};
  return {ipv4_at(address, 12), ipv4_at(address, 2), ipv4_at(address, 12, 0xff)};
}

bool is_wrapping(std::string_view use) { return use.starts_with("an IPv4 address in"); }

std::string_view use_of(const IpAddress& address) {
  for (const Use& special : special_uses())
    if (special.block.contains(address)) return special.use;
  return "";
}

}  // namespace

bool is_metadata(const IpAddress& address) {
  const auto listed = [](const IpAddress& one) {
    return std::find(metadata().begin(), metadata().end(), one) != metadata().end();
  };
  if (listed(address)) return true;
  if (!is_wrapping(use_of(address))) return false;
  const auto wrapped = inside(address);
  return std::any_of(wrapped.begin(), wrapped.end(), listed);
}

std::string special_use(const IpAddress& address) {
  if (is_metadata(address)) return "a cloud's metadata service";
  return std::string(use_of(address));
}

std::string special_use(const Cidr& range) {
  if (range.bits == range.network.bits()) return special_use(range.network);
  for (const Use& special : special_uses())
    if (special.block.contains(range)) return std::string(special.use);
  return "";
}

}  // namespace band
