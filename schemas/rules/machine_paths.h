// Checks of rules on paths of the machine that runs the script (`/opt/data/**`), without reading its files. Pure.
//
// Does not cover: links, the host's permissions, and the existence of files (server/view).
#pragma once

#include <string_view>

#include "schemas/core/result.h"
#include "schemas/pattern/pattern.h"
#include "schemas/rules/rules.h"

namespace band {

// Returns whether `path` (without the leading '/') is, or is below, a directory that each sandbox has of its own (/tmp,
// /proc ...).
bool is_of_sandbox(std::string_view path);

// Returns whether `path` is, or is below, /usr, /etc or one of the links into /usr (/bin, /lib ...). Each sandbox has
// these directories of its own (the floor), made from the machine's programs. Every file of the floor can be read;
// rules have an effect only for files that the floor does not have.
bool is_of_floor(std::string_view path);

// Returns `domain` with the denies of both, its own first: a directory that is mounted for writing must not show files
// that may not be read.
Domain with_both_denies(const Domain& domain, const Domain& other);

// The hint for a refused deny with wildcards.
inline constexpr const char* kNoWildcards =
    "a script could create a file with such a name at any time; deny existing names, without wildcards (`/dir/name`), "
    "or let `write` open other directories";

// The checks that refuse a run regardless of the files of the machine.
// Refuses a pattern that opens the whole machine or a directory that each sandbox has of its own.
Status check_machine_pattern(const PathPattern& pattern);
// Refuses a deny of `write` that has wildcards and overlaps an opened pattern.
Status check_write_denies(const Domain& write);
// Both checks: the patterns of the first layers of `read` and `write`, where directory walks start, and the denies of
// `write`.
Status check_machine_paths(const Rules& rules);

}  // namespace band
