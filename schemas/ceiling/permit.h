// Computes the rules of a band under the operator's ceiling, for the server and for `band why`. Pure.
//
// Does not cover: the state of the machine (programs, files, links, permissions), and the gateway's checks of
// addresses.
#pragma once

#include <vector>

#include "schemas/address/ip_address.h"
#include "schemas/commands/plan.h"
#include "schemas/core/result.h"
#include "schemas/rules/rules.h"
#include "schemas/wire/wire.h"

namespace band {

// Appends the ceiling's opened layers and denies to those of `rules`. A domain of `rules` that opens nothing still
// opens nothing. The smaller of two limits applies. Insists and variables of the ceiling are ignored.
Rules under_ceiling(const Rules& rules, const Rules& ceiling);

struct Permitted {
  Rules rules;  // under the ceiling
  CommandPlan commands;
  std::vector<LedgerEntry> notes;  // rules that open more than the ceiling permits (closed.h)
};

// On an error, no run with these rules starts. SkillInvalid: an insist contradicts the other rules under the ceiling,
// or a command cannot be declared (plan_commands). PermissionDenied: the ceiling closes a rule on paths or hosts
// completely (closed.h).
Result<Permitted> permit(const Rules& request, const Rules& ceiling, const std::vector<Cidr>& allow_private);

}  // namespace band
