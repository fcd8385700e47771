// Computes the rules that apply to a run: those of its band, narrowed by the operator's ceiling (the rules in
// server.yaml that bound every request). For the server and for `band why`. Pure.
//
// Does not cover: the state of the machine (programs, files, links, permissions), and the addresses to which names
// resolve, which the gateway checks.
#pragma once

#include <vector>

#include "schemas/address/ip_address.h"
#include "schemas/commands/plan.h"
#include "schemas/core/result.h"
#include "schemas/rules/rules.h"
#include "schemas/wire/wire.h"

namespace band {

// Returns `rules` with the layers and deny rules of the ceiling appended in each domain, and with the smaller of two
// limits. A domain in which `rules` allows nothing gets no layer of the ceiling, so nothing becomes allowed. Ignores
// insist rules and variables of the ceiling.
Rules under_ceiling(const Rules& rules, const Rules& ceiling);

struct Permitted {
  Rules rules;  // under the ceiling
  CommandPlan commands;
  std::vector<LedgerEntry> notes;  // about rules that allow more than the ceiling does (closed.h)
};

// Errors, with which the server refuses the run: SkillInvalid if under the ceiling an insist rule is not allowed or is
// denied, or if a command cannot be declared (plan_commands()); PermissionDenied if the ceiling allows no part of what
// a rule for paths or hosts allows (closed.h).
Result<Permitted> permit(const Rules& request, const Rules& ceiling, const std::vector<Cidr>& allow_private);

}  // namespace band
