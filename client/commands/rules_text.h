// Rules as people read them.
#pragma once

#include <cstddef>
#include <string>

#include "schemas/rules/rules.h"

namespace band::client {

// "  cli:\n    allow  gh issue list *   (github/BAND.md:12)\n ..."; "  net: nothing\n". Made printable.
std::string domain_text(const char* name, const Domain& domain);

// One line: the patterns of the first layer, `most` of them, and how many more there are; "nothing".
std::string domain_in_short(const Domain& domain, std::size_t most);

}  // namespace band::client
