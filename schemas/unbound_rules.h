// Rules of cli that promise more than they hold.
#pragma once

#include <vector>

#include "schemas/diagnostic.h"
#include "schemas/rules.h"

namespace band {

// Rules about the arguments of an interpreter, which runs what a file or its input tells it to; and denials of
// arguments of a program that starts itself with others (programs.yaml says which these are). They are no errors: read,
// write and net hold for such programs as for all. Patterns that do not parse are left out.
std::vector<Diagnostic> unbound_rules(const Domain& cli);

}  // namespace band
