// Evaluates the absolute patterns of the domains read and write (`/opt/data/**`). The result is a list of detached
// mounts: the files and directories of this machine that the view will show.
//
// Promises: a path is shown only if it is open (opening.h explains the word). In addition, the host's permissions for
// the slot's uid and gid must permit the access to the path and to its parent directories. A link in the literal part
// of a pattern is followed once (links.h). Sockets, FIFOs and devices are not shown. Names that begin with a dot are
// shown only if a pattern spells them.
// If all entries of a directory may be shown, one bind mount shows the directory itself ("bound whole"). If an entry
// must not be shown, each of the other entries gets its own mount ("composed"). The entry is not covered with a mask
// (masks.h), because a rename on the host lifts a mask. Exception: a directory in which everything may be written is
// bound whole, with masks (writable_tree.h).
// Does not cover: entries that the host adds to a whole-bound directory while the script runs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "schemas/rules/rules.h"
#include "schemas/wire/wire.h"
#include "server/view/declared_mounts.h"
#include "server/view/links.h"
#include "server/view/opening.h"
#include "server/view/walk.h"

namespace band::view {

struct Declared {
  std::vector<DeclaredMount> mounts;  // sorted
  FollowedLinks links;                // links in the literal parts of the patterns
  // Rules that show nothing: the path is optional and missing, or its link leads to a denied path.
  std::vector<LedgerEntry> notes;
};

// Returns an error for rules that are invalid whatever files the machine has. Pure. open_declared() calls it with the
// two openings that it has made.
Status check_declared(const Domain& write_rules, const Opening& read, const Opening& write);

// `rules` must already be intersected with the ceiling. Call it on the slot's thread: the function sets the file system
// ids of this thread to the ids of the slot during the walk (setfsuid(2) is per thread). `go_on` is called about once a
// millisecond; if it returns false, the walk ends with Code::Cancelled.
Result<Declared> open_declared(const Rules& rules, const Rules& ceiling, Who who, const std::function<bool()>& go_on);

}  // namespace band::view
