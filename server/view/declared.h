// Absolute patterns of read and write (`/opt/data/**`): which parts of this machine the view shows, as open mounts.
//
// Promises: a path is shown only if every layer of the rules opens it and no deny names it; host permissions decide
// for the slot's uid and gid, on the way to the path as well as at it; no link is followed on the way; sockets, FIFOs,
// devices, and names that begin with a dot are not shown unless a pattern spells them; a directory that holds anything
// which must not be shown is composed from its allowed entries, never masked (a rename on the host lifts a mask).
// Does not cover: what the host adds to a directory that is bound whole while the script runs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "schemas/result.h"
#include "schemas/rules.h"
#include "server/base/fd.h"
#include "server/view/walk.h"

namespace band::view {

struct DeclaredMount {
  std::string path;  // without the leading '/'; the same on the machine and in the view
  base::Fd tree;     // detached and restricted
  bool directory = false;
  bool readable = false, writable = false;
};

// On the slot's thread, whose file system ids become the slot's for the walk (setfsuid(2) is per thread).
// `go_on` is asked every millisecond or so; false ends the walk with Code::Cancelled.
Result<std::vector<DeclaredMount>> open_declared(const Rules& rules, Who who, const std::function<bool()>& go_on);

inline constexpr std::size_t kMaxDeclaredMounts = 2'000;  // some ten milliseconds of mounting

}  // namespace band::view
