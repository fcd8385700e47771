// The keyword `format`.
#pragma once

#include <string_view>

namespace band {

// Supports date, time, date-time (RFC 3339), email, hostname, ipv4, ipv6, uri, uri-reference, uuid, json-pointer,
// regex. Returns true for any other name, which is an annotation in draft-07. Linear in the text.
bool matches_format(std::string_view format, std::string_view text);

}  // namespace band
