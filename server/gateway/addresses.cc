#include "server/gateway/addresses.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "schemas/address/special_addresses.h"
#include "server/base/fd.h"

namespace band::gateway {
namespace {

template <class SocketAddress>
bool binds(int socket, const SocketAddress& to) {
  return ::bind(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0 || errno != EADDRNOTAVAIL;
}

// A socket can be bound only to the machine's own addresses; for another machine's address bind(2) fails with
// EADDRNOTAVAIL. After every other result, the address counts as the machine's own: other errors (memory, descriptors,
// permission) prove nothing, and success proves nothing on a machine that allows binding to any address
// (ip_nonlocal_bind).
bool own_of_machine(const IpAddress& address) {
  const base::Fd socket(::socket(address.ipv6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket) return errno != EAFNOSUPPORT;  // without IPv6 the machine has no IPv6 address
  if (address.ipv6) {
    sockaddr_in6 to{};
    to.sin6_family = AF_INET6;
    std::memcpy(&to.sin6_addr, address.bytes.data(), 16);
    return binds(socket.get(), to);
  }
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(address.v4_number());
  return binds(socket.get(), to);
}

bool opened_by_operator(const IpAddress& address, const SiteConfig& config) {
  return std::any_of(config.allow_private.begin(), config.allow_private.end(),
                     [&](const Cidr& range) { return range.contains(address); });
}

// The beginning of a reason: "resolves to 10.0.0.1, which is ".
std::string beginning(const IpAddress& address, const std::string& name) {
  const std::string shown = address.text();
  return name == shown ? "is " : "resolves to " + shown + ", which is ";
}

std::optional<BadAddress> judge(const IpAddress& address, const std::string& name, std::uint16_t port,
                                const NetRules& rules, const Policy& policy) {
  if (auto closed = closed_address(address, name, port, rules, policy)) return closed;
  const std::string special = special_use(address);
  if (special.empty() && !own_of_machine(address)) return std::nullopt;
  // The operator's ranges are not compared with an address that is embedded in another address (IPv4-mapped, NAT64).
  const bool rule_says_so = name == "localhost" || rules.opens_address(address, port);
  const bool operator_says_so = opened_by_operator(address, policy.config);
  if (rule_says_so && operator_says_so) return std::nullopt;
  BadAddress bad{beginning(address, name) + (special.empty() ? "this machine's own" : special)};
  bad.why += operator_says_so ? "; no net rule of the band names this address (`*` does not count)"
                              : "; the server's gateway.allow_private does not contain it";
  return bad;
}

}  // namespace

std::optional<BadAddress> closed_address(const IpAddress& address, const std::string& name, std::uint16_t port,
                                         const NetRules& rules, const Policy& policy) {
  const std::string shown = address.text();
  if (const auto denied = rules.denies(address, port))
    return BadAddress{name == shown ? "deny.net" : "resolves to " + shown + ", which deny.net denies", "deny.net",
                      denied};
  if (is_metadata(address)) return BadAddress{beginning(address, name) + "a cloud's metadata service"};
  // 0.0.0.0 and :: also reach the machine.
  const bool of_server = port == policy.server_port && policy.server_port != 0;
  if (of_server && (!special_use(address).empty() || own_of_machine(address)))
    return BadAddress{beginning(address, name) + "private or local, and the port is that of band's own server"};
  return std::nullopt;
}

std::optional<BadAddress> bad_address(const std::vector<IpAddress>& addresses, const std::string& name,
                                      std::uint16_t port, const NetRules& rules, const Policy& policy) {
  for (const IpAddress& address : addresses)
    if (auto bad = judge(address, name, port, rules, policy)) return bad;
  return std::nullopt;
}

}  // namespace band::gateway
