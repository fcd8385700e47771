// Rules on paths of the machine that runs the script (`/opt/data/**`): what is decided without looking at it. Pure.
//
// Does not cover: links, the host's permissions, and what is there (server/view).
#pragma once

#include <string_view>

#include "schemas/core/result.h"
#include "schemas/pattern/pattern.h"
#include "schemas/rules/rules.h"

namespace band {

// Is `path` (without the leading '/') a directory that each sandbox has for itself (/tmp, /proc ...), or below one?
bool is_of_sandbox(std::string_view path);

// Is it /usr, /etc or one of the links into /usr (/bin, /lib ...), or below one? Each sandbox has these of its own,
// made from the machine's programs. Each file of the floor can be read. A rule can open what the floor lacks alone.
bool is_of_floor(std::string_view path);

// The rules of one use with the denies of both, its own first: a directory that is bound for writing must not show what
// may not be read.
Domain with_both_denies(const Domain& domain, const Domain& other);

// What to write in place of a deny with wildcards.
inline constexpr const char* kNoWildcards =
    "a file of such a name could be made at any time; deny names that exist, without wildcards (`/dir/name`), or let "
    "`write` open other directories";

// The errors with which a run is refused, whatever is on the machine. Of a pattern that a walk starts from: it opens
// the whole machine, or what is the sandbox's own.
Status check_machine_pattern(const PathPattern& pattern);
// Of `write`: a deny with wildcards in what is opened.
Status check_write_denies(const Domain& write);
// All of it: the patterns of the first layer of `read` and `write`, where walks start, and the denies of `write`.
Status check_machine_paths(const Rules& rules);

}  // namespace band
