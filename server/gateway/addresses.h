// Checks whether the gateway (the process that makes the connections of one execution to servers) may connect to the
// addresses of a connection's destination. These are the addresses that the destination's host name resolves to, or the
// one address that the script connected to.
//
// An address is denied when a deny rule matches it, and when it belongs to a cloud's metadata service. An address that
// is private, reserved for special use, or this machine's own is denied unless both a rule and the operator
// (gateway.allow_private) allow it. On the port of band's own server such an address is always denied.
//
// Promise: when one address of a name is denied, the connection is refused, even if the other addresses are allowed.
// The owner of a name therefore cannot direct a connection to this machine or into the machine's network.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schemas/address/ip_address.h"
#include "schemas/rules/net_rules.h"
#include "server/gateway_link/policy.h"

namespace band::gateway {

struct BadAddress {
  std::string why;  // "resolves to 10.0.0.1, which is private (RFC 1918); the server's gateway.allow_private does not
                    // contain it"
  std::string section = "";       // where `rule` is written: "deny.net"
  std::optional<Rule> rule = {};  // the rule that denies the address; nullopt: the reason is not a rule
};

// Makes the checks that hold for every address, also for one that the operator has given to a name (gateway.resolve).
// Returns the reason, or nullopt when the address is not denied. It is denied when
// - a deny rule matches it;
// - it belongs to a metadata service;
// - `port` is the port of band's own server, and the address is private, reserved or this machine's own.
// `name`: as for bad_address(). `port`: the port to which the gateway connects.
std::optional<BadAddress> closed_address(const IpAddress& address, const std::string& name, std::uint16_t port,
                                         const NetRules& rules, const Policy& policy);

// Returns nullopt when all addresses are allowed. Otherwise returns the reason why the first of the denied addresses is
// denied. `name`: the name that resolved to the addresses, "localhost", or the address itself as text.
std::optional<BadAddress> bad_address(const std::vector<IpAddress>& addresses, const std::string& name,
                                      std::uint16_t port, const NetRules& rules, const Policy& policy);

}  // namespace band::gateway
