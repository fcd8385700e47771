// Makes the plan of one execution from a request and the operator's configuration. The plan is the data from which the
// sandbox is made. The request is untrusted. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "schemas/permit/permit.h"
#include "schemas/wire/wire.h"
#include "server/gateway_link/policy.h"
#include "server/policy/site_config.h"

namespace band::policy {

// The plan of a sandbox. It depends only on the rules and the configuration, and contains no input of an execution.
// Permitted has the rules and limits.
struct SandboxPlan : Permitted {
  std::optional<gateway::Policy> gateway;  // not set if the rules allow no host: the sandbox then has no network
};

struct ExecutionPlan : SandboxPlan {
  std::vector<std::string> env;      // NAME=VALUE, for the script
  std::vector<std::string> secrets;  // values to mask in the answer, the longest first
};

// Errors:
// - BadRequest: a request that `band` never sends;
// - SecretMissing: the request has no value for a required variable;
// - those of permit() (schemas/permit/permit.h);
// - LimitExceeded: the input is larger than maxInputBytes.
Result<ExecutionPlan> plan(const ExecRequest& request, const SiteConfig& site);

}  // namespace band::policy
