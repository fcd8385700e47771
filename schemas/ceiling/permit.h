// Computes the rules that apply to a run: the rules of the band, narrowed by the operator's ceiling (the rules in
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

// Returns `rules` with the layers (Domain in rules.h) and deny rules of the ceiling appended in each domain, and with
// the smaller value of each limit. A domain in which `rules` has no layer gets no layer of the ceiling, because this
// layer alone would allow everything that the ceiling allows. Ignores insist rules and variables of the ceiling.
Rules under_ceiling(const Rules& rules, const Rules& ceiling);

struct Permitted {
  Rules rules;  // under the ceiling
  CommandPlan commands;
  std::vector<LedgerEntry> notes;  // the notes of what_is_closed()
};

// After an error, the server refuses the run. SkillInvalid: a layer of the band or of the ceiling does not allow what
// an insist rule requires, or a deny rule denies this (check_insists()); or plan_commands() failed. PermissionDenied:
// the ceiling allows no part of what a rule for paths or hosts allows (what_is_closed()).
Result<Permitted> permit(const Rules& request, const Rules& ceiling, const std::vector<Cidr>& allow_private);

}  // namespace band
