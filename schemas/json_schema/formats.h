// Checks the keyword `format`.
#pragma once

#include <string_view>

namespace band {

// Returns whether `text` has the format. Supports date, time, date-time (RFC 3339), email, hostname, ipv4, ipv6, uri,
// uri-reference, uuid, json-pointer and regex. Returns true for any other format, because draft-07 does not require a
// check of formats. Takes linear time.
bool matches_format(std::string_view format, std::string_view text);

}  // namespace band
