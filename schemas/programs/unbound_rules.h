// Finds *unbound* rules: rules of cli, net, read and write that allow more, deny less or have less effect than their
// authors expect. Each function returns notes for `band validate`; these notes are not errors. Patterns that do not
// parse are skipped.
#pragma once

#include <vector>

#include "schemas/core/diagnostic.h"
#include "schemas/rules/rules.h"

namespace band {

// Finds rules for the arguments of an interpreter: an interpreter also runs code from files and from its input, and no
// rule of cli restricts this code. Also finds deny rules for arguments of a program that can execute itself again with
// different arguments: no rule is compared with the arguments of the second exec. programs.yaml names both kinds of
// programs. Rules of `read`, `write` and `net` restrict these programs like every other program.
std::vector<Diagnostic> unbound_rules(const Domain& cli);

// Finds rules for hosts that can never be reached, and for addresses that need gateway.allow_private of the server;
// rules for port 53, which have no effect; the rules `*` and `0.0.0.0/0`, which allow all public addresses; and deny
// rules for a name if `*` allows the address of this name.
std::vector<Diagnostic> unbound_hosts(const Domain& net);

// Finds rules of `write` that allow a whole directory of the machine (`/srv/out/**`). In such a directory a script can
// also create names that begin with a dot, which the rule's wildcards do not match. Also finds deny rules with
// wildcards for such a directory: servers refuse these deny rules, because a deny rule cannot prevent a script from
// creating a new file whose name matches the wildcard.
std::vector<Diagnostic> unbound_writes(const Rules& rules);

// Finds rules for paths that servers deny by default (default_ceiling.h). The authors of such rules often mean a path
// of the caller's machine, but an absolute path names a file of the server's machine.
std::vector<Diagnostic> closed_paths(const Rules& rules);

// Finds rules of `write` for files of the workspace that `read` does not allow. If such a file exists when a run
// starts, for example because the previous run created it, the run fails when the script writes it: an existing file is
// replaced only if it was sent to the script.
std::vector<Diagnostic> unread_writes(const Rules& rules);

// Finds rules of `write` that let a script write files of the workspace that programs execute or obey without being
// asked (OpenedBy::Spelling in schemas/core/obeyed_names.h), or that no rule can allow (OpenedBy::NoRule).
std::vector<Diagnostic> obeyed_writes(const Rules& rules);

}  // namespace band
