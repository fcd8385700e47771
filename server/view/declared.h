// Evaluates the absolute patterns of `read` and `write` rules (`/opt/data/**`). The result is a list of detached mounts
// (in no mount namespace yet, mounts.h): the files and directories of this machine that the view, the file system of
// the sandbox, will show.
//
// Promises: a path is shown only if it is open (the rules allow it; opening.h has the definition), and if the file
// permissions of the machine give the slot's uid and gid access to the path and to its parent directories. A link in
// the literal part of a pattern (the part before the first wildcard) is followed once (links.h). Sockets, FIFOs and
// devices are not shown. A name that begins with a dot is shown only if a pattern contains this name.
// If all entries of a directory may be shown, one bind mount shows the directory itself: the directory is *bound
// whole*. If an entry must not be shown, each of the other entries gets its own mount: the directory is *composed*. It
// would not be enough to bind the directory whole and to cover this entry with a mask (an empty mount, masks.h),
// because other processes of the machine can remove a mask by removing the entry. Exception: a directory in which
// everything may be written is bound whole, with masks, so that the script can make new files in it (writable_tree.h).
// Does not cover: entries that other processes of the machine add to a directory that is bound whole, while the script
// runs. The script sees these entries, even if their names begin with a dot.
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
  // Notes on rules without effect. Such a rule names an optional path that is missing, or a path with a link that leads
  // to a denied path.
  std::vector<LedgerEntry> notes;
};

// Returns an error for rules that are invalid on every machine, regardless of its files. `write_rules`: the `write`
// rules. `read` and `write`: the Openings of the `read` and `write` rules (opening.h). Pure. open_declared() calls this
// function.
Status check_declared(const Domain& write_rules, const Opening& read, const Opening& write);

// Walks the directories of the machine and makes the mounts. `rules` must already be intersected with `ceiling`, the
// operator's rules. `who`: the slot's ids. Call open_declared() on the slot's thread: it sets the file system ids of
// the thread to the ids of the slot during the walk (setfsuid(2) affects only the calling thread). `go_on` is called
// about once a millisecond; if it returns false, the walk ends with Code::Cancelled.
Result<Declared> open_declared(const Rules& rules, const Rules& ceiling, Who who, const std::function<bool()>& go_on);

}  // namespace band::view
