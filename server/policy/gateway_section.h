// The section `gateway:` of server.yaml.
#pragma once

#include "schemas/rules/reader.h"
#include "server/gateway_link/policy.h"

namespace band::policy {

// Tells `reader` what is wrong with it; what is left out keeps its value.
void read_gateway(RuleReader& reader, gateway::SiteConfig& config);

}  // namespace band::policy
