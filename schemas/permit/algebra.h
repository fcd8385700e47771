// Set algebra on rules (docs/architecture.md 6.1). Pure.
#pragma once

#include <vector>

#include "schemas/core/diagnostic.h"
#include "schemas/rules/rules.h"

namespace band {

// For `includes`: returns the union of what `a` and `b` allow, with the deny and insist rules of both.
Domain unite(const Domain& a, const Domain& b);
// For `extends`: returns the intersection of what `inner` and `outer` allow, with the deny and insist rules of both.
Domain restrict_to(const Domain& inner, const Domain& outer);

// Returns a diagnostic for each insist rule whose pattern a layer of its domain (Domain in rules.h) does not allow
// completely, and for each insist rule whose pattern is covered by the pattern of a deny rule (PathPattern::covers()).
// Client and server call this function after composition. Placeholders (placeholders.h) are skipped, because
// with_input() replaces them later.
std::vector<Diagnostic> check_insists(const Rules& rules);

}  // namespace band
