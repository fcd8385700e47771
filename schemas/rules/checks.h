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

// Returns an error if `rule` is marked `optional` and is not of a kind that can be optional: an allow rule of `read`,
// or an allow rule of `write` for a path of the machine. `opens`: the rule is one of `allow`.
Status check_optional(const Rule& rule, std::string_view domain, bool opens);

class CliPattern;
// Returns an error if a rule with this pattern in `section` ("allow", "deny" or "insist") can never have an effect:
// every rule for a builtin or keyword of bash, and a deny or insist rule for bash or sh, which runs the script.
Status check_command(std::string_view section, const CliPattern& pattern);

}  // namespace band
