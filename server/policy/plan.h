// Makes the plan of one execution from a request and the operator's configuration. The plan is the data from which the
// sandbox is made. The request is untrusted. Pure.
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
  Rules rules;  // the rules of the request, intersected with the operator's ceiling
  EffectiveLimits limits;
  CommandPlan commands;
  std::optional<gateway::Policy> gateway;  // not set if the rules allow no host: the sandbox then has no network
};

struct ExecutionPlan : SandboxPlan {
  // Names of the limits that have the ceiling's value. No band can raise these limits.
  std::set<std::string> at_ceiling;
  std::vector<std::string> env;      // NAME=VALUE, for the script
  std::vector<std::string> secrets;  // values to mask in the answer, the longest first
  // Notes on rules of the band that the ceiling, or a deny of the band, makes wholly or partly ineffective. Also notes
  // on limits that the ceiling lowers.
  std::vector<LedgerEntry> notes;
};

// Errors:
// - BadRequest: a request that `band` never sends;
// - SecretMissing: the request has no value for a required variable;
// - SkillInvalid: an insist rule requires something that the band or the ceiling does not allow, or plan_commands()
//   refuses the rules of cli;
// - PermissionDenied: the ceiling allows no part of what a rule on paths or hosts allows (schemas/ceiling/closed.h).
//   Without this error the script would start and later fail for a reason that is hard to see;
// - LimitExceeded: the input is larger than maxInputBytes, or the workspace's files are larger than maxDiskBytes.
Result<ExecutionPlan> plan(const ExecRequest& request, const SiteConfig& site);

}  // namespace band::policy
