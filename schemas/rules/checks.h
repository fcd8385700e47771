// Checks of rules and variables, for the parser of bands and for the reader of wire messages.
#pragma once

#include <string>
#include <string_view>

#include "schemas/rules/rules.h"

namespace band {

// Accepts [A-Za-z_][A-Za-z0-9_]* of at most 128 bytes, except the variables that band sets (PATH, INPUT_PATH, BAND_...)
// and variables that control bash or the dynamic linker.
Status check_env_name(std::string_view name);

// Returns whether `path` is absolute, without `.`, `..`, double slashes or a slash at its end, and not "/".
bool is_plain_absolute(std::string_view path);

// Returns an error if `pattern` does not parse as a pattern of this domain ("cli", "net", "read", "write").
Status check_pattern(std::string_view domain, std::string_view pattern);

// Only an allow rule of `read`, or an allow rule of `write` for a path of the machine, can be marked `optional`.
// Returns an error if another rule is marked so. `opens`: `rule` is in `allow` or, in a request, in a layer (Domain in
// rules.h).
Status check_optional(const Rule& rule, std::string_view domain, bool opens);

// Only a rule of `write` that is a placeholder, or the value of one, can have `dot`. Returns an error if another rule
// has it. It has no effect in `deny`, which has no placeholders, and for a path of the machine.
Status check_dot(const Rule& rule, std::string_view domain);

class CliPattern;
// Returns an error if a rule with this pattern in `section` ("allow", "deny" or "insist") can never have an effect:
// every rule for a builtin or keyword of bash, for which no program is started; and a deny or insist rule for bash or
// sh, whose command lines are not checked (plan.h).
Status check_command(std::string_view section, const CliPattern& pattern);

}  // namespace band
