// Restricts which files a process may open, independently of its view: Landlock, see landlock(7).
//
// Promises: after restrict() the process and its descendants open files only beneath the paths of its ruleset and only
// with the granted rights; execute only files with that right; open TCP connections and bind TCP ports only as `tcp`
// allows (from ABI 4); reach no abstract Unix socket and signal no process outside the domain (from ABI 6).
// Does not cover: UDP and other protocols (the firewall); stat(2) and chdir(2), which Landlock does not mediate; files
// that were already open. missing() lists the features that this kernel's ABI lacks.
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

// From ABI 4. Other layers may refuse connections that this one allows.
enum class Tcp : std::uint8_t { None, Connect, All };

struct Ruleset {
  std::vector<PathRule> paths;
  Tcp tcp = Tcp::None;
};

// Returns the ABI of this kernel, from 1; 0 when Landlock is absent or disabled.
int abi();
// Returns the features that this ABI lacks, human-readable, for `band status`.
std::vector<std::string> missing(int abi);

// Creates the kernel's ruleset, which can be enforced in any number of processes. Returns an error when Landlock is
// absent or a path does not exist.
Result<base::Fd> prepare(const Ruleset& wanted);
// Restricts this thread and its future children. Needs no_new_privs.
Status enforce(const base::Fd& ruleset);

Status restrict(const Ruleset& wanted);  // prepare() and enforce()

}  // namespace band::landlock
