// Finds rules of cli, net, read and write that do not have the effect that their authors expect. They are notes, not
// errors. Patterns that do not parse are skipped.
#pragma once

#include <vector>

#include "schemas/core/diagnostic.h"
#include "schemas/rules/rules.h"

namespace band {

// Rules for the arguments of an interpreter, which runs code from files or its input; and denies for the arguments of a
// program that starts itself with other arguments (programs.yaml lists both). read, write and net restrict such
// programs like all others.
std::vector<Diagnostic> unbound_rules(const Domain& cli);

// Rules for hosts that can never be reached, or only if the operator opened them, too; rules for port 53; `*`, which
// matches all other hosts; `0.0.0.0/0`; and denies of a name whose address `*` opens.
std::vector<Diagnostic> unbound_hosts(const Domain& net);

// Rules that open a whole directory of the machine for writing: a script can also create names that begin with a dot
// there. And denies with wildcards in such a directory, which servers refuse.
std::vector<Diagnostic> unbound_writes(const Rules& rules);

// Rules that open paths that a server closes by default; a common mistake is to name paths of the caller's machine.
std::vector<Diagnostic> closed_paths(const Rules& rules);

// Rules that open files of the workspace for writing but not for reading: a file that exists when a run starts, for
// example from the previous run, cannot be written.
std::vector<Diagnostic> unread_writes(const Rules& rules);

}  // namespace band
