// The section `gateway:` of server.yaml.
#pragma once

#include "schemas/rules/reader.h"
#include "server/gateway_link/plan.h"

namespace band::policy {

// Tells `reader` what is wrong with it; what is left out keeps its value.
void take_gateway(RuleReader& reader, gateway::Config& config);

}  // namespace band::policy
