// Where a connection may go, once it is known which addresses its name has.
//
// Promise: one bad address among good ones refuses them all, so that nobody chooses by a name's answer what in this
// machine or its network is reached.
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
  std::string why;           // "resolves to 10.0.0.1, which is private (RFC 1918); gateway.allow_private"
  std::string section = "";  // of `rule`
  std::optional<Rule> rule = {};
};

// nullopt: all are good. `name`: that resolved to them, "localhost", or the address itself as text.
std::optional<BadAddress> bad_address(const std::vector<IpAddress>& addresses, const std::string& name,
                                      std::uint16_t port, const NetRules& rules, const Policy& policy);

}  // namespace band::gateway
