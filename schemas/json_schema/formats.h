// The keyword `format`.
#pragma once

#include <string_view>

namespace band {

// Known: date, time, date-time (RFC 3339), email, hostname, ipv4, ipv6, uri, uri-reference, uuid, json-pointer, regex.
// Any other name is an annotation in draft-07: true. Linear in the text.
bool matches_format(std::string_view format, std::string_view text);

}  // namespace band
