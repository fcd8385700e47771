// Checks whether the gateway may connect to the addresses of a connection's destination. These are the addresses that
// the destination's host name resolves to, or the one address that the script connected to.
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
  std::string why;  // "resolves to 10.0.0.1, which is private (RFC 1918); needs an entry in gateway.allow_private"
  std::string section = "";       // where `rule` is written: "deny.net"
  std::optional<Rule> rule = {};  // the rule that denies the address; nullopt: the reason is not a rule
};

// Returns nullopt when all addresses are allowed. Otherwise returns the reason why the first of the denied addresses is
// denied. `name`: the name that resolved to the addresses, "localhost", or the address itself as text.
std::optional<BadAddress> bad_address(const std::vector<IpAddress>& addresses, const std::string& name,
                                      std::uint16_t port, const NetRules& rules, const Policy& policy);

}  // namespace band::gateway
