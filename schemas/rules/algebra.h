// Set algebra on rules (docs/architecture.md 6.1). Pure.
#pragma once

#include <vector>

#include "schemas/core/diagnostic.h"
#include "schemas/rules/rules.h"

namespace band {

Domain unite(const Domain& a, const Domain& b);  // includes
// extends, and the operator's ceiling: intersects the opened sets and unites deny and insist.
Domain restrict_to(const Domain& inner, const Domain& outer);

// Returns a diagnostic for each insist that is outside the opened sets or inside a deny. Client and server call it
// after composition. Placeholders are skipped; with_input() replaces them later (placeholders.h).
std::vector<Diagnostic> check_insists(const Rules& rules);

}  // namespace band
