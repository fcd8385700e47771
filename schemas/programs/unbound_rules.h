// Finds rules of cli, net, read and write that do not have the effect that their authors expect. Each function returns
// notes for `band validate`, which are not errors. Patterns that do not parse are skipped.
#pragma once

#include <vector>

#include "schemas/core/diagnostic.h"
#include "schemas/rules/rules.h"

namespace band {

// Finds rules that restrict the arguments of an interpreter, which also runs code from files and from its input; and
// deny rules for arguments of a program that starts itself with other arguments. programs.yaml names these programs;
// `read`, `write` and `net` restrict them like every other program.
std::vector<Diagnostic> unbound_rules(const Domain& cli);

// Finds rules for hosts that can never be reached, rules for addresses that need gateway.allow_private of the server,
// rules for port 53, the rules `*` and `0.0.0.0/0` because of their width, and deny rules for a name while `*` allows
// the address of this name.
std::vector<Diagnostic> unbound_hosts(const Domain& net);

// Finds rules of `write` that allow a whole directory of the machine, because a script can create names that begin with
// a dot there; and deny rules with wildcards in such a directory, because servers refuse them.
std::vector<Diagnostic> unbound_writes(const Rules& rules);

// Finds rules for paths that servers deny by default. A common mistake is to name a path of the caller's machine.
std::vector<Diagnostic> closed_paths(const Rules& rules);

// Finds rules of `write` for files of the workspace that `read` does not allow. If such a file exists when a run
// starts, for example because the previous run created it, the script cannot write it.
std::vector<Diagnostic> unread_writes(const Rules& rules);

}  // namespace band
