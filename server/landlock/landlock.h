// Restricts which files a process may open, independently of its view (the file system of its sandbox): Landlock, see
// landlock(7). "From ABI N" means: on kernels whose Landlock ABI has the version N or a higher one.
//
// Promises: after restrict() the calling thread, and the threads and processes that it creates afterwards,
// - open files only beneath the paths of the ruleset, and only with the rights that the ruleset grants there;
// - execute only files for which the ruleset grants execution;
// - open TCP connections and bind TCP ports only as Ruleset::tcp permits (from ABI 4);
// - cannot connect to an abstract Unix socket, or send a signal to a process, outside the Landlock domain (from ABI 6).
// Does not cover: UDP and other protocols (the firewall); stat(2) and chdir(2), which Landlock does not mediate; files
// that were already open. missing() lists the features that a lower ABI does not have.
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

// The TCP calls that Landlock permits: none, connect(2), or connect(2) and bind(2). Has an effect from ABI 4. Other
// layers may refuse a connection that Landlock permits.
enum class Tcp : std::uint8_t { None, Connect, All };

struct Ruleset {
  std::vector<PathRule> paths;
  Tcp tcp = Tcp::None;
};

// Returns the version of this kernel's Landlock ABI, at least 1; 0 when Landlock is absent or disabled.
int abi();
// Returns descriptions, for `band status`, of the features that the ABI `abi` does not have.
std::vector<std::string> missing(int abi);

// Creates a ruleset in the kernel. The ruleset can be enforced in any number of processes. Returns an error when
// Landlock is absent or a path does not exist.
Result<base::Fd> prepare(const Ruleset& wanted);
// Restricts the calling thread, and the threads and processes that it creates afterwards. Other threads of the process
// stay unrestricted. The calling thread must have no_new_privs.
Status enforce(const base::Fd& ruleset);

Status restrict(const Ruleset& wanted);  // prepare() and enforce()

}  // namespace band::landlock
