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

// Returns a diagnostic for each insist rule with a pattern that the layers of its domain do not allow completely, or
// that a deny rule covers. Client and server call this function after composition. Placeholders (placeholders.h) are
// skipped, because with_input() replaces them later.
std::vector<Diagnostic> check_insists(const Rules& rules);

}  // namespace band
