// Makes the plan of one execution from a request and the operator's configuration. The request is untrusted. Pure.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "schemas/commands/plan.h"
#include "schemas/core/result.h"
#include "schemas/rules/rules.h"
#include "schemas/wire/wire.h"
#include "server/gateway_link/policy.h"
#include "server/policy/site_config.h"

namespace band::policy {

// The plan of a sandbox. It depends only on the rules and the configuration, and contains no input of an execution.
struct SandboxPlan {
  Rules rules;  // the rules of the request, intersected with the ceiling
  EffectiveLimits limits;
  CommandPlan commands;
  std::optional<gateway::Policy> gateway;  // not set if the rules allow no host: the sandbox then has no network
};

struct ExecutionPlan : SandboxPlan {
  // Names of the limits that have the ceiling's value. No band can raise these limits.
  std::set<std::string> at_ceiling;
  std::vector<std::string> env;      // NAME=VALUE, for the script
  std::vector<std::string> secrets;  // values to mask, the longest first
  std::vector<LedgerEntry> notes;    // notes on rules and limits of the band that the ceiling reduces
};

// Errors:
// - BadRequest: a request that `band` never sends;
// - SkillInvalid: rules that contradict one another after the intersection with the ceiling;
// - PermissionDenied: a rule on paths or hosts of which the ceiling allows none (schemas/ceiling/closed.h). Without
//   this error the script would start and later fail for a reason that is hard to see;
// - LimitExceeded: an input that is too large.
Result<ExecutionPlan> plan(const ExecRequest& request, const SiteConfig& site);

}  // namespace band::policy
