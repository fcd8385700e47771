// Absolute patterns of read and write (`/opt/data/**`): which parts of this machine the view shows, as open mounts.
//
// Promises: a path is shown only if every layer of the rules opens it and no deny names it; host permissions decide
// for the slot's uid and gid, on the way to the path as well as at it; a link on the way is followed once (links.h),
// and both spellings of what lies behind it must be open under the ceiling and not denied; sockets, FIFOs, devices, and
// names that begin with a dot are not shown unless a pattern spells them; a directory that holds anything which must
// not be shown is composed from its allowed entries, never masked (a rename on the host lifts a mask). Only a directory
// in which everything is opened for writing is bound whole with masks: writable_tree.h. Does not cover: what the host
// adds to a directory that is bound whole while the script runs.
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
  FollowedLinks links;                // on the way to them
  std::vector<LedgerEntry> notes;     // rules that show nothing: what is optional and missing, or denied behind a link
};

// What is refused before the machine is looked at. Pure. `read` and `write` are open_declared()'s openings.
Status check_declared(const Domain& write_rules, const Opening& read, const Opening& write);

// `rules` are under the ceiling already. On the slot's thread, whose file system ids become the slot's for the walk
// (setfsuid(2) is per thread). `go_on` is asked every millisecond or so; false ends the walk with Code::Cancelled.
Result<Declared> open_declared(const Rules& rules, const Rules& ceiling, Who who, const std::function<bool()>& go_on);

}  // namespace band::view
