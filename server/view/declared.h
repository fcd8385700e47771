// Evaluates the absolute patterns of read and write (`/opt/data/**`): opens the parts of this machine that the view
// shows, as detached mounts.
//
// Promises: a path is shown only if every layer of the rules opens it and no deny names it. The host's permissions for
// the slot's uid and gid apply, to the path and to its parent directories. A link in the literal part of a pattern
// is followed once (links.h): the rules must open the path as written, the ceiling the path without links, and no deny
// may match either.
// Sockets, FIFOs and devices are not shown; names that begin with a dot only if a pattern spells them. A directory that
// contains an entry which must not be shown is composed from its allowed entries, never masked, because a rename on the
// host lifts a mask. Exception: a directory in which everything is opened for writing is bound whole, with masks
// (writable_tree.h). Does not cover: entries that the host adds to a whole-bound directory while the script runs.
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
  std::vector<LedgerEntry> notes;     // rules that show nothing: the path is optional and missing, or its target denied
};

// Refuses rules that are invalid regardless of the machine's files. Pure. `read` and `write` are the openings that
// open_declared() made.
Status check_declared(const Domain& write_rules, const Opening& read, const Opening& write);

// `rules` are already intersected with the ceiling. Call it on the slot's thread, whose file system ids are those of
// the slot during the walk (setfsuid(2) is per thread). `go_on` is called about once a millisecond; false ends the walk
// with Code::Cancelled.
Result<Declared> open_declared(const Rules& rules, const Rules& ceiling, Who who, const std::function<bool()>& go_on);

}  // namespace band::view
