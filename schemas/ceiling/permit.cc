#include "schemas/ceiling/permit.h"

#include "schemas/ceiling/closed.h"
#include "schemas/core/diagnostic.h"
#include "schemas/rules/algebra.h"

namespace band {
namespace {

void restrict_domain(Domain& inner, const Domain& outer) {
  // A ceiling without `allow` for a domain has no layer for this domain, so only its `deny` applies. A domain of
  // `inner` without a layer allows nothing; with the layer of the ceiling it would allow what the ceiling allows.
  if (!inner.opened.empty()) inner.opened.insert(inner.opened.end(), outer.opened.begin(), outer.opened.end());
  inner.deny.insert(inner.deny.end(), outer.deny.begin(), outer.deny.end());
}

}  // namespace

Rules under_ceiling(const Rules& rules, const Rules& ceiling) {
  Rules result = rules;
  restrict_domain(result.cli, ceiling.cli);
  restrict_domain(result.net, ceiling.net);
  restrict_domain(result.read, ceiling.read);
  restrict_domain(result.write, ceiling.write);
  result.limit = smaller(rules.limit, ceiling.limit);
  return result;
}

Result<Permitted> permit(const Rules& request, const Rules& ceiling, const std::vector<Cidr>& allow_private) {
  Permitted permitted;
  permitted.rules = under_ceiling(request, ceiling);
  const auto contradictions = check_insists(permitted.rules);
  if (!contradictions.empty()) return skill_invalid(contradictions);
  BAND_TRY(permitted.commands, plan_commands(permitted.rules.cli));
  BAND_TRY(permitted.notes, what_is_closed(request, ceiling, allow_private));
  return permitted;
}

}  // namespace band
