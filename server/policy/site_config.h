// What the operator decides: /etc/band/server.yaml, described by schemas/server.schema.json and docs/server.md.
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
  std::string address = "127.0.0.1";  // loopback only, as long as there is no TLS
  std::uint16_t port = kDefaultPort;  // 0: any free one (tests)
  int slots = 4;                      // executions at a time; default max(4, 2 * cores)
  int slots_per_token = 0;            // of one token; 0: all while there is one token, else all but one
  int spare_slots = 2;                // started ahead of the need; default max(2, cores)
  int warm_sandboxes = 8;             // that wait for executions with rules that were seen before; 0: none is made
  uid_t uid_base = 1879048192;        // 0x70000000: above systemd's container range (see systemd.io/UIDS-GIDS)
  int queue_length = 64;              // executions waiting, of all tokens together
  int queue_per_token = 32;
  int max_connections = 64;
  std::string state_dir = "/var/lib/band";
  std::string run_dir = "/run/band";
  std::string log_level = "info";
  gateway::SiteConfig gateway;
  KnownPrograms commands;  // the built-in ones and the operator's
  Rules ceiling;           // intersected with every request (restrict_to); limits: the smaller wins
};

// The defaults, ceiling included: deny read and write of /etc /root /home /boot /dev /proc /sys /run /var/lib; no run
// longer than an hour.
SiteConfig default_site_config();

// All errors at once, each with FILE:LINE:COLUMN. What the file leaves out keeps its default.
Result<SiteConfig> parse_site_config(std::string_view text, const std::string& file);

}  // namespace band::policy
