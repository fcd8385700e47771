// The message that the gateway of one execution receives before it begins to serve. The message has the rules and the
// operator's settings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schemas/address/ip_address.h"
#include "schemas/core/result.h"
#include "schemas/rules/rules.h"

namespace band::gateway {

// The operator's address for a name. The address may be private or reserved; the gateway makes only the checks of
// closed_address() (server/gateway/addresses.h).
struct Resolve {
  std::string name;  // canonical
  IpAddress address;
  std::optional<std::uint16_t> port;  // the port to connect to instead of the requested one
};

// `gateway:` of server.yaml.
struct SiteConfig {
  std::vector<Resolve> resolve;
  // Private addresses, and addresses of this machine, to which the gateway connects if a rule allows it.
  std::vector<Cidr> allow_private;
  std::optional<std::pair<std::string, std::uint16_t>>
      upstream_proxy;               // a name or an address (no brackets), and a port
  std::string extra_ca;             // absolute path of a PEM file; used only by server/floor
  int connect_timeout_ms = 10'000;  // per address
  int max_connections = 512;        // open connections per execution
  // New connections per second and execution, after a burst of max_connections. A closed connection occupies its local
  // port for one minute (TIME-WAIT), and by default the kernel has 28,232 local ports for connections to one port of a
  // host. Therefore some 470 such connections per second use up all local ports. With 50 per execution, eight
  // executions together stay below that rate.
  int connections_per_second = 50;
  int max_names = 4'096;       // different names that one execution can look up (server/gateway/names.h)
  std::int64_t max_bytes = 0;  // per execution, both directions together; 0: no limit
};

struct Policy {
  Domain net;
  SiteConfig config;
  // The port of band-server. On this port, the gateway refuses addresses that are private, reserved or this machine's
  // own (server/gateway/addresses.h).
  std::uint16_t server_port = 0;
};

std::string encode(const Policy& policy);
Result<Policy> decode_policy(std::string_view json);  // Code::BadRequest

}  // namespace band::gateway
