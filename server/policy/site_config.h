// The operator's configuration: /etc/band/server.yaml, described by schemas/server.schema.json and docs/server.md.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/result.h"
#include "schemas/programs/programs.h"
#include "schemas/rules/rules.h"
#include "schemas/wire/wire.h"
#include "server/gateway_link/policy.h"

namespace band::policy {

struct SiteConfig {
  std::string address = "127.0.0.1";  // loopback only, because the server has no TLS
  std::uint16_t port = kDefaultPort;  // 0: any free one (tests)
  int slots = 4;                      // parallel executions; default max(4, 2 * cores)
  int slots_per_token = 0;            // maximum per token; 0: all slots with one token, all but one with more tokens
  int spare_slots = 2;                // idle slots started in advance; default max(2, cores)
  int warm_sandboxes = 8;             // sandboxes made ahead for rules that were used before; 0: none
  uid_t uid_base = 1879048192;        // 0x70000000: above systemd's container range (see systemd.io/UIDS-GIDS)
  int queue_length = 64;              // waiting executions of all tokens together
  int queue_per_token = 32;
  int max_connections = 64;
  std::string state_dir = "/var/lib/band";
  std::string run_dir = "/run/band";
  std::string log_level = "info";
  gateway::SiteConfig gateway;
  KnownPrograms commands;  // the built-in ones and the operator's
  Rules ceiling;           // intersected with every request (restrict_to); limits: the smaller wins
};

// Returns the defaults. Their ceiling denies reading and writing /etc /root /home /boot /dev /proc /sys /run /var/lib,
// and runs longer than an hour.
SiteConfig default_site_config();

// Returns all errors together (Code::Usage), each with FILE:LINE:COLUMN. Missing keys have their defaults.
Result<SiteConfig> parse_site_config(std::string_view text, const std::string& file);

}  // namespace band::policy
