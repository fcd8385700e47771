// Reads the section `gateway:` of server.yaml, the operator's configuration.
#pragma once

#include "schemas/rules/reader.h"
#include "server/gateway_link/policy.h"

namespace band::policy {

// Sets the member of `config` for each key in the section. A member whose key is missing keeps its value. Reports
// errors to `reader`.
void read_gateway(RuleReader& reader, gateway::SiteConfig& config);

}  // namespace band::policy
