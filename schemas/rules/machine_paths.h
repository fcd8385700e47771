// Checks of rules for paths of the machine that runs the script (`/opt/data/**`). Pure: only the patterns are examined.
//
// Does not cover: links, the permissions of files, and whether files exist (server/view does).
#pragma once

#include <string_view>

#include "schemas/core/result.h"
#include "schemas/pattern/pattern.h"
#include "schemas/rules/rules.h"

namespace band {

// Returns whether `path` (without the leading '/') is a directory that band makes for each sandbox (/tmp, /work,
// /proc ...), or is below one. Such a directory of the machine is never shown.
bool is_of_sandbox(std::string_view path);

// Returns whether `path` (without the leading '/') is /usr, /etc or a link into /usr (/bin, /lib ...), or is below one
// of them. A sandbox does not show these directories of the machine, but the floor: a reduced copy of them. Every
// script can read all files of the floor; rules have an effect only for files that the floor does not have.
bool is_of_floor(std::string_view path);

// Returns `domain` with its own deny rules, followed by those of `other`. A directory that is mounted for writing is
// checked against the deny rules of `read`, too, because the script could otherwise read denied files there.
Domain with_both_denies(const Domain& domain, const Domain& other);

// The hint when a deny rule for a writable directory is refused because it has wildcards.
inline constexpr const char* kNoWildcards =
    "a script could create a file with such a name at any time; deny existing names, without wildcards (`/dir/name`), "
    "or let `write` open other directories";

// Refuses an absolute pattern of an allow or insist rule that begins with a wildcard (`/**`), because it would allow
// the whole machine, or that is in a directory of is_of_sandbox().
Status check_machine_pattern(const PathPattern& pattern);
// Refuses a deny rule of `write` that has wildcards and overlaps a pattern that another rule allows.
Status check_write_denies(const Domain& write);
// Applies check_write_denies(), and check_machine_pattern() to the first layers of `read` and `write`, where directory
// walks start. The server refuses a run with an error of these checks, whatever files the machine has.
Status check_machine_paths(const Rules& rules);

}  // namespace band
