// Reads the section `gateway:` of server.yaml.
#pragma once

#include "schemas/rules/reader.h"
#include "server/gateway_link/policy.h"

namespace band::policy {

// Sets the members of `config`; the members of missing keys keep their values. Reports errors to `reader`.
void read_gateway(RuleReader& reader, gateway::SiteConfig& config);

}  // namespace band::policy
