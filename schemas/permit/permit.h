// Computes what a run may do: the rules and limits of the request, under the operator's ceiling (the rules in
// server.yaml that bound every request). For the server, and for `band why`. Pure. Permitted is the only form in which
// rules and limits reach the layers of the sandbox; no other code takes a union, a minimum or a default for a run. The
// table in docs/architecture.md 6.1 lists every case.
//
// Does not cover: the state of the machine (programs, files, links, permissions), and the addresses to which names
// resolve, which the gateway checks.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "schemas/address/ip_address.h"
#include "schemas/commands/plan.h"
#include "schemas/core/result.h"
#include "schemas/rules/limits.h"
#include "schemas/rules/rules.h"
#include "schemas/wire/wire.h"

namespace band {

struct Permitted {
  Rules rules;             // the rules of the request with the layers and deny rules of the ceiling
  EffectiveLimits limits;  // the request's value or the default, and at most the ceiling's value
  // Names of the limits that have the ceiling's value. No band can raise these limits.
  std::set<std::string> at_ceiling;
  CommandPlan commands;
  // Notes on rules that have no effect, or only a part of their effect (closed.h), and on lowered limits.
  std::vector<LedgerEntry> notes;
};

// `files`: the files of the workspace that were sent with the request. `allow_private`: gateway.allow_private of
// server.yaml. After an error, the server refuses the run:
// - SkillInvalid: a layer of the band or of the ceiling does not allow what an insist rule requires, or a deny rule
//   denies this (check_insists()); or plan_commands() failed;
// - PermissionDenied: the ceiling allows no part of what a rule for paths or hosts allows (what_is_closed()); or the
//   ceiling does not allow that a sent file is read. In the second case `details` has `denied`, the number of such
//   files (files_denied_by() lists them);
// - LimitExceeded: the files are more, or larger, than the limits permit.
Result<Permitted> permit(const Rules& request, const std::vector<ShippedFile>& files, const Rules& ceiling,
                         const std::vector<Cidr>& allow_private);

// Returns Permitted::limits for a request with these limits.
EffectiveLimits permitted_limits(const Limits& request, const Limits& ceiling);

// A file of the workspace that the ceiling does not allow to be read.
struct DeniedFile {
  std::string path;
  std::string why;  // the rule: `deny.read "./**/*.key" (/etc/band/server.yaml)`; or that no rule allows the file
};
// Returns the paths that the ceiling does not allow to be read; paths are relative to the workspace. The server refuses
// a request that has such a file, so the client leaves these files out. Error: Code::BadRequest for a pattern that is
// not valid.
Result<std::vector<DeniedFile>> files_denied_by(const Domain& ceiling_read, const std::vector<std::string>& paths);

}  // namespace band
