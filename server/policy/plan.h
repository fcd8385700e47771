// From a request and the operator's configuration to the plan of one execution. Pure functions over plain data; the
// request is as hostile as the network.
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

// What a sandbox is made of: it follows from the rules alone, and holds nothing of one execution's input.
struct SandboxPlan {
  Rules rules;  // under the ceiling
  EffectiveLimits limits;
  CommandPlan commands;
  std::optional<gateway::Policy> gateway;  // none: no net rule opens anything, and there is no network at all
};

struct ExecutionPlan : SandboxPlan {
  std::set<std::string> at_ceiling;  // names of limits that no band can raise here, because they are the ceiling's
  std::vector<std::string> env;      // of the script, NAME=VALUE
  std::vector<std::string> secrets;  // values to mask, the longest first
  std::vector<LedgerEntry> notes;    // what the rules open and do not get
};

// Errors: BadRequest for what no honest client sends; SkillInvalid for rules that contradict themselves under the
// ceiling; PermissionDenied for a rule on paths or hosts of which the ceiling leaves nothing
// (schemas/ceiling/closed.h); LimitExceeded for an input that is too large. Nothing runs with less than it declares.
Result<ExecutionPlan> plan(const ExecRequest& request, const SiteConfig& site);

}  // namespace band::policy
