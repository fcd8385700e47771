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
  std::uint16_t port = kDefaultPort;  // 0: any free port (for tests)
  int slots = 4;                      // number of parallel executions; default_site_config() sets max(4, 2 * cores)
  // Maximum number of slots that one token may use at the same time. 0: all slots if there is one token, otherwise all
  // slots but one.
  int slots_per_token = 0;
  int spare_slots = 2;  // number of idle slots started in advance; default_site_config() sets max(2, cores)
  // Maximum number of warm sandboxes; in default_site_config() it is equal to `slots`. A warm sandbox is made before
  // its request arrives: it waits for a request that has the same token and the same rules as an earlier one.
  int warm_sandboxes = 8;
  uid_t uid_base = 1879048192;  // uid of slot 0. 0x70000000: above systemd's container range (see systemd.io/UIDS-GIDS)
  int queue_length = 64;        // waiting executions of all tokens together
  int queue_per_token = 32;
  int max_connections = 64;
  std::string state_dir = "/var/lib/band";
  std::string run_dir = "/run/band";
  std::string log_level = "info";
  gateway::SiteConfig gateway;
  KnownPrograms commands;  // the built-in list and the operator's additions
  Rules ceiling;           // intersected with the rules of every request (permit() in schemas/permit)
};

// Returns the defaults. The default ceiling (the member `ceiling`) denies reading and writing in /etc, /root, /home,
// /boot, /dev, /proc, /sys, /run and /var/lib, and limits a run to one hour.
SiteConfig default_site_config();

// `text`: the text of the file. `file`: its path, for messages. Members for missing keys have the values of
// default_site_config(). Returns all errors of the file in one error (Code::Usage), each with FILE:LINE:COLUMN.
Result<SiteConfig> parse_site_config(std::string_view text, const std::string& file);

}  // namespace band::policy
