// The rules of a band under the operator's ceiling. The server decides by them, and `band why` answers by them. Pure.
//
// Does not cover: what is on the machine (programs, files, links, permissions), and the gateway's view of addresses.
#pragma once

#include <vector>

#include "schemas/address/ip_address.h"
#include "schemas/commands/plan.h"
#include "schemas/core/result.h"
#include "schemas/rules/rules.h"
#include "schemas/wire/wire.h"

namespace band {

// The layers that the ceiling opens come behind those of `rules`, and its denies behind theirs. A domain of `rules`
// that opens nothing stays so. Limits: the smaller one. Insists and variables of the ceiling do not count.
Rules under_ceiling(const Rules& rules, const Rules& ceiling);

struct Permitted {
  Rules rules;  // under the ceiling
  CommandPlan commands;
  std::vector<LedgerEntry> notes;  // what the rules open and do not get
};

// Errors mean that no run with these rules starts: SkillInvalid for rules that contradict themselves under the ceiling,
// and for commands that cannot be declared (plan_commands); PermissionDenied for a rule on paths or hosts of which the
// ceiling leaves nothing (closed.h).
Result<Permitted> permit(const Rules& request, const Rules& ceiling, const std::vector<Cidr>& allow_private);

}  // namespace band
