// What the gateway's process for one execution is told before it serves: the rules and the operator's words.
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

// The operator's word for where a name is; no address check holds for it.
struct Resolve {
  std::string name;  // canonical
  IpAddress address;
  std::optional<std::uint16_t> port;  // to dial instead of the one that was asked for
};

// `gateway:` of server.yaml.
struct SiteConfig {
  std::vector<Resolve> resolve;
  std::vector<Cidr> allow_private;
  std::optional<std::pair<std::string, std::uint16_t>>
      upstream_proxy;               // a name or an address (no brackets), and a port
  std::string extra_ca;             // absolute path of a PEM file; the floor's business
  int connect_timeout_ms = 10'000;  // of one address
  int max_connections = 512;        // at a time, of one execution
  // New ones, of one execution, when max_connections have been made at once. 50: connections to one host's port may
  // leave some 470 ports a second in TIME-WAIT before there is none (28,232 for a minute), and eight executions do so.
  int connections_per_second = 50;
  int max_names = 4'096;       // that get an address, of one execution
  std::int64_t max_bytes = 0;  // both ways together, of one execution; 0: no limit
};

struct Policy {
  Domain net;
  SiteConfig config;
  std::uint16_t server_port = 0;  // band's own, which no connection reaches
};

std::string encode(const Policy& policy);
Result<Policy> decode_policy(std::string_view json);  // Code::BadRequest

}  // namespace band::gateway
