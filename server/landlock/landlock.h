// Which files the process may open, and how, whatever its view shows: Landlock, see landlock(7).
//
// Promises: after restrict() the process and its descendants open files only beneath the paths of its ruleset and only
// in the granted ways; execute only what is granted; open TCP connections and bind TCP ports only if `tcp` says so
// (from ABI 4); reach no abstract Unix socket and signal no process outside the domain (from ABI 6). Does not cover:
// UDP and other protocols (the firewall), stat(2) and chdir(2), which Landlock does not mediate, files that were open
// before. What this kernel's ABI lacks is in missing().
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"
#include "server/layout/access.h"

namespace band::landlock {

using layout::Access;
using layout::PathRule;

// From ABI 4; what is let through here, other layers may refuse.
enum class Tcp : std::uint8_t { None, Connect, All };

struct Ruleset {
  std::vector<PathRule> paths;
  Tcp tcp = Tcp::None;
};

// The ABI of this kernel: 0 when Landlock is absent or disabled, else 1 and up.
int abi();
// What a newer kernel would add, in words for `band status`.
std::vector<std::string> missing(int abi);

// The ruleset as the kernel keeps it: made once, for every process that it is to hold. Landlock absent, or a path that
// does not exist, is an error.
Result<base::Fd> prepare(const Ruleset& wanted);
// Holds this thread and its descendants from now on. Needs no_new_privs.
Status enforce(const base::Fd& ruleset);

Status restrict(const Ruleset& wanted);  // both

}  // namespace band::landlock
