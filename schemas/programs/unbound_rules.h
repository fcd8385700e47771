// Rules of cli, net and write that promise more than they hold.
#pragma once

#include <vector>

#include "schemas/core/diagnostic.h"
#include "schemas/rules/rules.h"

namespace band {

// Rules about the arguments of an interpreter, which runs what a file or its input tells it to; and denials of
// arguments of a program that starts itself with others (programs.yaml says which these are). They are no errors: read,
// write and net hold for such programs as for all. Patterns that do not parse are left out.
std::vector<Diagnostic> unbound_rules(const Domain& cli);

// Rules about hosts that nothing can be reached by (port 53, too), or only where the operator opened it, too; `*`,
// which is every host but those; `0.0.0.0/0`; and denials of a name whose address `*` opens. They are no errors.
// Patterns that do not parse are left out.
std::vector<Diagnostic> unbound_hosts(const Domain& net);

// Rules that open a whole directory of the machine for writing: names that begin with a dot can be made there. And
// denies that a server refuses, because they have wildcards and lie in such a directory. Patterns that do not parse are
// left out.
std::vector<Diagnostic> unbound_writes(const Rules& rules);

// Rules that open what a server closes by default: people name paths of their own machine. Patterns that do not parse
// are left out.
std::vector<Diagnostic> closed_paths(const Rules& rules);

// Rules that open files of the workspace for writing and not for reading: a file that is there when a run starts, of
// the run before for instance, cannot be written. Patterns that do not parse are left out.
std::vector<Diagnostic> unread_writes(const Rules& rules);

}  // namespace band
