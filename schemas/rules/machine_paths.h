// Checks of rules for paths of the machine that runs the script (`/opt/data/**`). Pure: only the patterns are examined.
//
// Does not cover: links, the permissions of files, and whether files exist. server/view checks these.
#pragma once

#include <string_view>

#include "schemas/core/result.h"
#include "schemas/pattern/pattern.h"
#include "schemas/rules/rules.h"

namespace band {

// Returns whether `path` (without the leading '/') is a directory that band makes for each sandbox (/tmp, /work, /proc
// ...), or is below one. The machine's directory with the same path is never shown.
bool is_of_sandbox(std::string_view path);

// Returns whether `path` (without the leading '/') is /usr, /etc or a link into /usr (/bin, /lib ...), or is below one
// of them. Instead of these directories of the machine, a sandbox shows the floor: a reduced copy of these directories.
// Every script can read all files of the floor; a rule has an effect only for files that the floor does not have.
bool is_of_floor(std::string_view path);

// Returns `domain` with its own deny rules, followed by those of `other`. Use it for a directory that is mounted for
// writing: a script can also read files there, so the deny rules of `read` must apply, too.
Domain with_both_denies(const Domain& domain, const Domain& other);

// The hint when a deny rule for a path in a writable directory is refused because the rule has wildcards. The server
// applies deny rules to the names that exist when it makes the sandbox. Therefore a script could later create a file
// with a name that matches the wildcards.
inline constexpr const char* kNoWildcards =
    "deny existing names, without wildcards (`/dir/name`), or let `write` allow other directories: a script could "
    "create a file with a denied name later";

// Checks an absolute pattern of an allow or insist rule. Returns an error for a pattern that begins with a wildcard
// (`/**`), because this pattern would allow the whole machine, and for a pattern of paths for which is_of_sandbox() is
// true.
Status check_machine_pattern(const PathPattern& pattern);
// Returns an error if a deny rule of `write` has wildcards, except `/**` at its end, and overlaps an allow or insist
// rule of `write` for the machine. The reason is in kNoWildcards.
Status check_write_denies(const Domain& write);
// Applies check_write_denies() to `write`, and check_machine_pattern() to the rules in the first layer (Domain in
// rules.h) of `read` and of `write`, because directory walks start with the patterns of this layer. After an error, the
// server refuses the run. The result does not depend on the files that the machine has.
Status check_machine_paths(const Rules& rules);

}  // namespace band
