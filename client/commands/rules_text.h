// Rules as text for the terminal.
#pragma once

#include <cstddef>
#include <string>

#include "schemas/rules/rules.h"

namespace band::client {

// Returns several lines about the domain with this name (cli, net, read or write). Example:
// "  cli:\n    allow  gh issue list *   (github/BAND.md:12)\n ...". If the domain allows nothing, the first line is
// "  net: nothing\n", and only deny and insist rules follow. Escapes control characters.
std::string domain_text(const char* name, const Domain& domain);

// Returns one line: at most `most` patterns of the domain's first layer (the rules of one band), and the number of the
// other patterns of this layer; "nothing" if the domain allows nothing.
std::string domain_in_short(const Domain& domain, std::size_t most);

}  // namespace band::client
