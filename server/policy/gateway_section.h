// Reads the section `gateway:` of server.yaml.
#pragma once

#include "schemas/rules/reader.h"
#include "server/gateway_link/policy.h"

namespace band::policy {

// Reports errors to `reader`. Missing keys leave their values in `config` unchanged.
void read_gateway(RuleReader& reader, gateway::SiteConfig& config);

}  // namespace band::policy
