// Set algebra on rules (design section 1). Pure.
#pragma once

#include <vector>

#include "schemas/core/diagnostic.h"
#include "schemas/rules/rules.h"

namespace band {

Domain unite(const Domain& a, const Domain& b);  // includes
// extends, and the operator's ceiling: what is opened intersects; deny and insist unite.
Domain restrict_to(const Domain& inner, const Domain& outer);

// An insist outside what is opened or inside a deny, as one diagnostic each. Called after composition on both sides.
// Of a placeholder nothing is known until with_input() (placeholders.h).
std::vector<Diagnostic> check_insists(const Rules& rules);

}  // namespace band
