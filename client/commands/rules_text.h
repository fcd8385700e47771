// Rules as text for the terminal.
#pragma once

#include <cstddef>
#include <string>

#include "schemas/rules/rules.h"

namespace band::client {

// Returns several lines about the domain with this name, or "  net: nothing\n" if the domain allows nothing. Example:
// "  cli:\n    allow  gh issue list *   (github/BAND.md:12)\n ...". Escapes control characters.
std::string domain_text(const char* name, const Domain& domain);

// Returns one line: at most `most` patterns of the domain's first layer, and the number of the other patterns;
// "nothing" if the domain allows nothing.
std::string domain_in_short(const Domain& domain, std::size_t most);

}  // namespace band::client
