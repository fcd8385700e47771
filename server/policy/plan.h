// Makes the plan of one execution from a request and the operator's configuration. Pure functions over plain data; the
// request is untrusted.
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

// The plan of a sandbox. It depends only on the rules, and contains no input of an execution.
struct SandboxPlan {
  Rules rules;  // under the ceiling
  EffectiveLimits limits;
  CommandPlan commands;
  std::optional<gateway::Policy> gateway;  // not set when no net rule opens a host: the sandbox then has no network
};

struct ExecutionPlan : SandboxPlan {
  std::set<std::string> at_ceiling;  // names of the limits with the ceiling's value, which no band can raise
  std::vector<std::string> env;      // NAME=VALUE, for the script
  std::vector<std::string> secrets;  // values to mask, the longest first
  std::vector<LedgerEntry> notes;    // what the rules open and the ceiling does not allow
};

// Errors: BadRequest for requests that band never sends; SkillInvalid for rules that contradict themselves under the
// ceiling; PermissionDenied for a rule on paths or hosts that the ceiling closes completely (schemas/ceiling/closed.h);
// LimitExceeded for an input that is too large. A script does not run with less than its band declares.
Result<ExecutionPlan> plan(const ExecRequest& request, const SiteConfig& site);

}  // namespace band::policy
