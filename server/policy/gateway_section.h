// Reads the section `gateway:` of server.yaml.
#pragma once

#include "schemas/rules/reader.h"
#include "server/gateway_link/policy.h"

namespace band::policy {

// Sets the member of `config` for each key in the section. The members for keys that are missing keep their values.
// Reports errors to `reader`.
void read_gateway(RuleReader& reader, gateway::SiteConfig& config);

}  // namespace band::policy
