// What a rule and a variable may be; shared by the parser of bands and the reader of the wire.
#pragma once

#include <string>
#include <string_view>

#include "schemas/rules/rules.h"

namespace band {

// [A-Za-z_][A-Za-z0-9_]*, at most 128 bytes, and none of those that band sets itself (PATH, INPUT_PATH, BAND_...).
Status check_env_name(std::string_view name);

// An absolute path without `.`, `..`, double slashes or one at its end, and not "/" itself.
bool is_plain_absolute(std::string_view path);

// Does `pattern` parse as a pattern of this domain ("cli", "net", "read", "write")?
Status check_pattern(std::string_view domain, std::string_view pattern);

// May `rule` of this domain be optional, if it is? Only what opens a path, and in the workspace only for reading:
// `deny` and `insist` name what must be closed or must happen.
Status check_optional(const Rule& rule, std::string_view domain, bool opens);

class CliPattern;
// Can a rule of "allow", "deny" or "insist" about this command ever work? Not about what bash does itself, and for
// bash's own argv neither deny nor insist: the script runs in it.
Status check_command(std::string_view section, const CliPattern& pattern);

}  // namespace band
